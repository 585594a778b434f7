import { readFile } from 'node:fs/promises'
import { transformSync } from 'rolldown/utils'
import { describe, test } from 'vitest'
import type { JudgedRehearsal } from '../../src/rehearsal/judge-rehearsal.ts'
import { WRONG_COMMANDS, withMistake } from '../clients/wrong-commands.ts'
import { aFolder, fromRoot } from '../support/cli.ts'
import { isFullDepth } from '../support/depth.ts'
import { rehearse } from '../support/rehearse.ts'

/** The right clients of docs/examples in a rehearsal, and clients with one mistake each. */

/** The languages: a client of docs/examples, its program, and its pauses, shortened so that an outage takes some seconds. */
const LANGUAGES = {
  python: {
    file: 'right_client.py',
    program: 'python3',
    quick: [
      ['FIRST_PAUSE = 0.5', 'FIRST_PAUSE = 0.15'],
      ['timeout=TIMEOUT)', 'timeout=TIMEOUT and 1)'],
    ],
  },
  php: {
    file: 'right-client.php',
    program: 'php',
    quick: [
      ['FIRST_PAUSE = 0.5', 'FIRST_PAUSE = 0.15'],
      ["'timeout' => TIMEOUT", "'timeout' => min(TIMEOUT, 1)"],
    ],
  },
  typescript: {
    file: 'right-client.ts',
    program: process.execPath,
    quick: [
      ['FIRST_PAUSE_MS = 500', 'FIRST_PAUSE_MS = 150'],
      ['TIMEOUT_MS = 30_000', 'TIMEOUT_MS = 1000'],
    ],
  },
} as const
type Language = keyof typeof LANGUAGES

const sources = new Map(
  await Promise.all(
    Object.entries(LANGUAGES).map(async ([language, { file, quick }]) => {
      const source = await readFile(fromRoot(`docs/examples/${file}`), 'utf8')
      return [language as Language, withMistake(source, quick)] as const
    }),
  ),
)

/** Time limit of a run: the run with 30 requests an hour uses it up. At the end of a month, 100 responses take 0.4 s each. */
const TIMEOUT = isFullDepth ? '90s' : '40s'

interface Run {
  language: Language
  mistake?: Parameters<typeof withMistake>[1]
  options: string[]
}

async function rehearseClient({ language, mistake = [], options }: Run) {
  const { program } = LANGUAGES[language]
  const source = withMistake(sources.get(language)!, mistake)
  const isTypescript = language === 'typescript'
  const client = isTypescript ? 'client.mjs' : 'client'
  const code = isTypescript ? transformSync('client.ts', source).code : source
  await using folder = await aFolder({ [client]: code })
  const own = ['--start', '2026-01-01', '--timeout', TIMEOUT, '--client-state', 'state']
  const line = [...own, ...options, '--json', '--', program, client, 'state']
  await using run = await rehearse(line, folder.path())
  const { code: exit, stdout, stderr } = await run.outcome
  return { exit, stderr, report: JSON.parse(stdout) as JudgedRehearsal }
}

function findingsOf({ checks }: JudgedRehearsal) {
  const failed = checks.filter(({ result, severity }) => {
    return result === 'failed' && severity !== 'notice'
  })
  return failed.flatMap(({ id, findings }) =>
    findings.map(({ run, message }) => `${id}: run ${run}: ${message}`),
  )
}

/** Each mistake in one of two languages; all mistakes at full depth, otherwise the first. */
const WRONG = WRONG_COMMANDS.slice(0, isFullDepth ? undefined : 1).map((wrong, index) => ({
  ...wrong,
  language: index % 2 === 0 ? ('php' as const) : ('python' as const),
}))

// Pauses take most of the time, so all rehearsals run at once.
describe.concurrent('a rehearsal of a command', () => {
  // The guides run three days of each language (test/docs).
  const languages = isFullDepth ? (Object.keys(LANGUAGES) as Language[]) : (['python'] as const)
  test.for(languages)(
    'passes a right client in %s',
    { timeout: 1_800_000 },
    async (language, { expect }) => {
      const { exit, report } = await rehearseClient({ language, options: ['--profile', 'smoke'] })
      expect(findingsOf(report)).toEqual([])
      expect([report.verdict, exit]).toEqual(['passed', 0])
    },
  )

  test.for(WRONG)(
    'names a client that $name, in $language',
    { timeout: 1_800_000 },
    async ({ language, options = {}, expect: expected, ...wrong }, { expect }) => {
      const { profile = 'smoke', for: length, seed = '1' } = options
      const { exit, report } = await rehearseClient({
        language,
        mistake: wrong[language],
        options: [
          '--profile',
          profile,
          '--seed',
          String(seed),
          ...(length ? ['--for', length] : []),
        ],
      })
      const [main] = expected.checks
      const findings = findingsOf(report)
      const own = findings.filter((finding) => finding.startsWith(`${main}: `))
      const failed = new Set(findings.map((finding) => finding.split(':')[0]!))
      // A consequence may come and go with the time that a client takes.
      const folded = report.causes.flatMap(({ consequences }) => consequences)
      const isCause = (id: string) => !folded.some(({ check }) => check === id)
      expect([...failed].filter(isCause).toSorted()).toEqual(
        expected.checks.filter(isCause).toSorted(),
      )
      expect(own).toContainEqual(expect.stringMatching(expected.message))
      expect(exit === 0).toBe(report.verdict === 'passed')
    },
  )
})
