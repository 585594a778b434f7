import { describe, expect, test } from 'vitest'
import { GAPS, POLICIES } from '../../src/contract/gaps.ts'
import type { GapStatus } from '../../src/contract/control-status.ts'
import { aFolder, runCli } from '../support/cli.ts'
import type { Outcome } from '../support/cli.ts'

interface Attempt {
  args?: string[]
  env?: Record<string, string>
  /** The text of `seo-sandbox.config.yaml`. */
  config?: string
}

/** `seo-sandbox gaps` in its own folder. */
async function gaps({ args = [], env = {}, config = '' }: Attempt): Promise<Outcome> {
  await using folder = await aFolder({ 'seo-sandbox.config.yaml': config })
  const outcome = await runCli(['gaps', ...args], { cwd: folder.path(), env })
  return outcome
}

async function listed({ args = [], ...attempt }: Attempt): Promise<GapStatus[]> {
  const { code, stdout, stderr } = await gaps({ args: ['--json', ...args], ...attempt })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as GapStatus[]
}

async function idsOf(...words: string[]): Promise<string[]> {
  return (await listed({ args: words })).map(({ id }) => id)
}

describe('gaps lists', () => {
  test('every gap with its section, question, policy, options, default and what is in force', async () => {
    const all = await listed({})
    expect(all.map(({ id, section, question }) => ({ id, section, question }))).toEqual(
      GAPS.map(({ id, section, question }) => ({ id, section, question })),
    )
    for (const gap of POLICIES) {
      const { options, default: preset } = gap
      const found = all.find(({ id }) => id === gap.id)
      expect(found).toMatchObject({ policy: gap.policy, options, default: preset, value: preset })
    }
  })

  test('the same as text, in lines of at most 80 characters', async () => {
    const { code, stdout } = await gaps({})
    const lines = stdout.split('\n')
    expect({ code, long: lines.filter((line) => line.length > 80) }).toEqual({ code: 0, long: [] })
    expect(stdout).not.toContain('\u001B')
    const words = stdout.replaceAll(/\s+/g, ' ')
    for (const gap of GAPS) {
      expect(words).toContain(`${gap.id} ${gap.section} ${gap.question}`)
      if ('policy' in gap) expect(words).toContain(` ${gap.policy} `)
      else expect(words).toContain(gap.behaviour)
    }
  })

  test('with a mark at the option in force, and the other options', async () => {
    const { stdout } = await gaps({ args: ['G-072'] })
    expect(stdout).toBe(`G-072  4.5  The time zone of the current calendar month
       month-time-zone
       * UTC  Coordinated Universal Time (default)
         …    a European time zone, such as Europe/Copenhagen
`)
    const args = ['G-072', '--policy', 'month-time-zone=Europe/Copenhagen']
    expect((await gaps({ args })).stdout).toBe(
      `G-072  4.5  The time zone of the current calendar month
       month-time-zone
         UTC                Coordinated Universal Time (default)
       * Europe/Copenhagen  a European time zone, such as Europe/Copenhagen
`,
    )
  })
})

describe('what is in force', () => {
  const config = 'policy: { foreign-project: 403, missing-token: 403, G-003: 403 }\n'
  const env = { SEO_SANDBOX_POLICY: 'missing-token=302,project-order=name' }
  const args = ['--policy', 'project-order=created', '--policy', 'foreign-project=404']

  test('comes from the file, the environment over it, and the flags over both', async () => {
    const all = await listed({ config, env, args })
    const valueOf = (policy: string) => all.find((gap) => gap.policy === policy)?.value
    expect(['foreign-project', 'missing-token', 'disabled-token-on-me'].map(valueOf)).toEqual([
      '404',
      '302',
      '403',
    ])
    expect(['project-order', 'list-order'].map(valueOf)).toEqual(['created', 'id'])
  })

  test('--set omits policies at their default', async () => {
    const set = await listed({ config, env, args: ['--set', ...args] })
    expect(set.map(({ id }) => id)).toEqual(['G-001', 'G-003', 'G-039'])
    const { code, stdout } = await gaps({ args: ['--set'] })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Every policy is at its default.\n' })
    expect(await listed({ args: ['--set'] })).toEqual([])
  })
})

describe('words select', () => {
  test.for<[string[], string[]]>([
    [['G-013'], ['G-013']],
    [['g13'], ['G-013']],
    [['month-time-zone'], ['G-072']],
    [['4.5'], ['G-072', 'G-073', 'G-074', 'G-075']],
    [['4.5(2)'], ['G-074', 'G-075']],
    [['4.2'], ['G-017', 'G-048']],
    [['7', 'order'], ['G-011']],
    [
      ['RATE', 'window'],
      ['G-019', 'G-028'],
    ],
    [['reset-rounding', '8'], ['G-027']],
    [['copenhagen'], []],
  ])('%o', async ([words, ids]) => {
    if (ids.length > 0) expect(await idsOf(...words)).toEqual(ids)
    else expect((await gaps({ args: words })).code).toBe(2)
  })

  test('a section selects all of its parts, and no other that begins alike', async () => {
    for (const section of ['1', '2', '4', '5', '8', '9', '2.1', '2.10', '4.3']) {
      const ofSection = GAPS.filter((gap) =>
        gap.section.split(', ').some((one) => new RegExp(`^${section}(?!\\d)`).test(one)),
      )
      const { code, stdout } = await gaps({ args: ['--json', section] })
      if (ofSection.length === 0) expect(code).toBe(2)
      else expect(JSON.parse(stdout)).toMatchObject(ofSection.map(({ id }) => ({ id })))
    }
  })
})

describe('with exit code 2 it says on stderr what is wrong', () => {
  test.for<[string, Attempt, RegExp]>([
    ['a word that no gap has', { args: ['nonsense'] }, /^error No gap matches "nonsense"\. .+\n$/],
    [
      'words of different gaps',
      { args: ['4.5', 'header'] },
      /^error No gap matches "4\.5", "header"/,
    ],
    ['a terminal code', { args: ['\u001B[31mx'] }, /^error No gap matches "[ -~]+"\./],
    ['an unknown policy', { args: ['--policy', 'x=1'] }, /^error --policy: "x" is not a policy/],
    [
      'an unknown option of the file',
      { config: 'policy: { list-order: x }' },
      /yaml:1:23 policy\.list-order: /,
    ],
  ])('%s', async ([, attempt, message]) => {
    const { code, stdout, stderr } = await gaps(attempt)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })
})
