import { describe, test } from 'vitest'
import { aFolder } from '../support/cli.ts'
import { exec, node } from '../support/exec.ts'

/** `exec --vary` (docs/judging.md): a command under each other option of the policies that its answers rested on. */

/** Reads all projects, `perPage` at a time even if links lack the size, and the content of each completed report. */
const readsAll = (perPage: number, more = '') =>
  node(`
    const { SEO_SANDBOX_URL: url, SEO_SANDBOX_TOKEN: token } = process.env
    const headers = { authorization: 'Bearer ' + token, accept: 'application/json' }
    const read = async (path) => {
      const response = await fetch(new URL(path, url), { headers })
      if (!response.ok) process.exit(1)
      return response.json()
    }
    ;(async () => {
      let next = '/api/v1/projects?per_page=${perPage}'
      while (next) {
        const { data, links } = await read(next)
        for (const { id } of data) {
          const { data: reports } = await read('/api/v1/projects/' + id + '/reports')
          for (const { status, report_number: number } of reports)
            if (status === 'completed') await read('/api/v1/projects/' + id + '/reports/' + number + '/content')
        }
        next = links.next
        if (next && !next.includes('per_page')) next += '&per_page=${perPage}'
      }
      ${more}
    })()
  `)

/** Fails in the runs with these numbers, counted in a file. */
const failsInRuns = (...numbers: number[]) =>
  `const { appendFileSync, readFileSync } = require('node:fs')
   appendFileSync('runs', '.')
   if (${JSON.stringify(numbers)}.includes(readFileSync('runs', 'utf8').length)) process.exit(4)`

const WORLD = `
version: 1
agencies: [{ id: 1, name: A }]
tokens: [{ id: 1, name: T, token: a-token-of-it, agency: 1 }]
projects:
  - { id: 1, name: P, agency: 1, status: active, created_at: now-9d, reports: [{ id: 1, report_number: 1, status: completed, created_at: now-8d }] }
  - { id: 2, name: Q, agency: 1, status: active, created_at: now-9d }
`

async function vary(args: string[], command: string[], world = WORLD) {
  await using folder = await aFolder({ 'agency.yaml': world })
  const env = { TMPDIR: folder.path() }
  const line = ['--vary', '--fixtures', 'agency.yaml', ...args, '--', ...command]
  await using run = exec(line, { cwd: folder.path(), env })
  const { code, stderr } = await run.outcome
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  return { code, stderr, varied: last.startsWith('{') ? JSON.parse(last) : undefined }
}

describe.concurrent('exec --vary', () => {
  test('names each option under which the command ends differently, with the request and a remedy', async ({
    expect,
  }) => {
    const { code, varied } = await vary(['--json'], readsAll(500))
    const { rested_on, depends, ...rest } = varied
    expect({ code, ...rest }).toMatchObject({ code: 1, version: 1, verdict: 'depends', flaky: [] })
    expect(rested_on).toContainEqual({ gap: 'G-039', policy: 'project-order' })
    expect(depends).toEqual(
      ['400', '422'].map((option) => ({
        gap: 'G-034',
        policy: 'per-page-above-maximum',
        option,
        exit: 1,
        verdict: 'nothing-read',
        ledger: [expect.objectContaining({ project: 1, report_number: 1, state: 'missing' })],
        request: {
          sequence: 1,
          method: 'GET',
          path: '/api/v1/projects?per_page=500',
          status: Number(option),
        },
        instead: 'Ask for 100 or less.',
      })),
    )
  })

  test('says so in a sentence for each', async ({ expect }) => {
    const { stderr } = await vary([], readsAll(500))
    expect(stderr).toMatch(
      /^Depends on 1 of \d+:\n {2}per-page-above-maximum=400 \(G-034\): exit 1 after GET \/api\/v1\/projects\?per_page=500\. Ask for 100 or less\.$/m,
    )
  })

  test('names an option under which a report is never shown, and so not fetched', async ({
    expect,
  }) => {
    const world = WORLD.replace('id: 1, report_number: 1', 'level: keyword, $&')
    const { varied } = await vary(['--json'], readsAll(1), world)
    expect(varied).toMatchObject({
      verdict: 'depends',
      depends: [
        {
          policy: 'reports-list-levels',
          option: 'filtered',
          exit: 0,
          ledger: [{ project: 1, report_number: 1, fetches: 0, state: 'missing' }],
        },
      ],
    })
  })

  test.for<[string, number, string, string[], string[]]>([
    ['a command that ends the same under every option', 0, 'independent', [], readsAll(1)],
    [
      'a policy that the user has set, which is kept',
      0,
      'independent',
      ['--policy', 'per-page-above-maximum=clamp'],
      readsAll(500),
    ],
    [
      'a command that ends differently with the same answers',
      1,
      'unstable',
      [],
      readsAll(1, failsInRuns(2)),
    ],
    ['a command that fails on its own', 4, 'base-failed', [], readsAll(1, failsInRuns(1))],
    ['a command without a request', 0, 'independent', [], node('')],
  ])('judges %s', async ([, code, verdict, args, command], { expect }) => {
    const outcome = await vary(['--json', ...args], command)
    expect({ code: outcome.code, ...outcome.varied }).toMatchObject({ code, verdict, depends: [] })
  })

  test('an option that makes a difference once, and not again, is flaky', async ({ expect }) => {
    const { code, varied } = await vary(['--json'], readsAll(1, failsInRuns(3)))
    expect({ code, ...varied }).toMatchObject({
      code: 0,
      verdict: 'independent',
      depends: [],
      flaky: [{ policy: expect.any(String), option: expect.any(String) }],
    })
  })

  test.for([
    ['--profile', 'storm'],
    ['--store', 'redis://127.0.0.1:1'],
    ['--state', 'state.json'],
    ['--snapshot', 'snapshot.json'],
  ])('refuses %s, which leaves no new world to each run', async ([name, value], { expect }) => {
    const { code, stderr } = await vary([name!, value!], node(''))
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: expect.stringContaining(`--vary: Each run of the command has a new world`),
    })
    expect(stderr).toContain(name)
  })
})
