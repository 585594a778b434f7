import { cp, readFile, writeFile } from 'node:fs/promises'
import { transformSync } from 'rolldown/utils'
import { afterAll, describe, test } from 'vitest'
import type { Review } from '../../src/review/review.ts'
import { aFolder, fromRoot } from '../support/cli.ts'
import { exec } from '../support/exec.ts'

/** The clients of docs/examples, reviewed as described in their README. */

const README = await readFile(fromRoot('docs/examples/README.md'), 'utf8')

/** The ids of checks that a client fails according to its comments. */
async function mistakesMarkedIn(client: string): Promise<string[]> {
  const code = await readFile(fromRoot(`docs/examples/${client}`), 'utf8')
  return [...code.matchAll(/^ *\/\/ ([a-z-]+): /gm)].map(([, id]) => id!)
}

/** One copy of the folder for all lines of the README, as for somebody who pastes them. */
const folder = await aFolder({})
await cp(fromRoot('docs/examples'), folder.path(), { recursive: true })
afterAll(() => folder[Symbol.asyncDispose]())

const STORM = ['--fixtures', 'agency.yaml', '--profile', 'storm']

/** Runs a line of the README, with the review in a file. */
async function review(command: string, options = STORM) {
  const cwd = folder.path()
  const words = await Promise.all(command.split(' ').map((word) => toRunnable(word)))
  const file = `${words.at(-1)}.json`
  await using run = exec([...options, '--report', `json=${file}`, '--', ...words], { cwd })
  const { code, stderr } = await run.outcome
  const { checks, ledger, requests } = JSON.parse(await folder.read(file)) as Review
  return { code, stderr, checks, ledger, requests }
}

/** Compiles a client if Node does not run TypeScript. */
async function toRunnable(word: string): Promise<string> {
  const runsTypes = 'typescript' in process.features && process.features.typescript !== false
  if (!word.endsWith('.ts') || runsTypes) return word
  const name = word.replace(/ts$/, 'js')
  await writeFile(folder.path(name), transformSync(word, await folder.read(word)).code)
  return name
}

/** The line of the README that runs a client. */
function lineOf(command: string): string {
  return `npx seo-sandbox exec --fixtures agency.yaml --profile storm -- ${command}\n`
}

describe.concurrent('a right client passes every check that is exercised, all but two, and has every report', () => {
  test.for([
    'node right-client.ts by-node',
    'python3 right_client.py by-python',
    'php right-client.php by-php',
  ])('%s', async (command, { expect }) => {
    const { code, stderr, checks, ledger, requests } = await review(command)
    const open = checks.filter(({ result }) => result !== 'passed')
    // A limit would take a minute, and a sync of every project has no filter that its pages could lose.
    expect(open).toMatchObject([
      { id: 'token-told-to-wait', result: 'not-exercised' },
      { id: 'hand-made-pages', result: 'not-exercised' },
    ])
    expect(ledger.filter(({ state }) => state !== 'delivered')).toEqual([])
    expect(code).toBe(0)
    // The README shows the summary, and the command line.
    const summary = `review ${requests} requests: ${checks.length - 2} checks passed, 2 not exercised.\n  not exercised: token-told-to-wait, hand-made-pages\nreports ${ledger.length} delivered.\n`
    expect(stderr).toContain(summary)
    expect(README).toContain(summary)
    expect(README).toContain(lineOf(command))
  })
})

/** The command of docs/judging.md that shows a second page. */
const [, SECOND_PAGE = ''] =
  /^\| a second page \| `(.+?)`/m.exec(await readFile(fromRoot('docs/judging.md'), 'utf8')) ?? []

describe.concurrent('a right client reads every page, whatever its link is like and whichever list has more than one', () => {
  const policies = [
    'page-links=absolute',
    'page-link-parameters=dropped',
    'list-pagination=paginated',
  ]
  test.for([
    'node right-client.ts pages-by-node',
    'python3 right_client.py pages-by-python',
    'php right-client.php pages-by-php',
  ])('%s', async (command, { expect }) => {
    const options = policies.flatMap((policy) => ['--policy', policy])
    const { code, ledger } = await review(command, [...SECOND_PAGE.split(' '), ...options])
    expect(SECOND_PAGE).toContain('--require next-link')
    expect(ledger.length).toBeGreaterThan(100)
    expect(ledger.filter(({ state }) => state !== 'delivered')).toEqual([])
    expect(code).toBe(0)
  })
})

const FAULTS = [
  { kind: 'status', status: 403, project: 1003 },
  { kind: 'status', status: 408, project: 1005, schedule: { nth: 1 } },
  { kind: 'status', status: 503, retry_after: 0, project: 1007, schedule: { nth: 1 } },
]
const ARMED = FAULTS.map(
  (fault) =>
    `curl -sf "$SEO_SANDBOX_CONTROL_URL/faults" -d '${JSON.stringify(fault)}' > /dev/null || exit 2\n`,
)
/** Arms the faults, and then runs a client. */
await writeFile(folder.path('with-faults.sh'), `${ARMED.join('')}exec "$@"\n`)

describe.concurrent('a right client goes on after what concerns one project or one moment', () => {
  test.for([
    'node right-client.ts faults-by-node',
    'python3 right_client.py faults-by-python',
    'php right-client.php faults-by-php',
  ])('%s', async (command, { expect }) => {
    const options = ['--fixtures', 'agency.yaml', '--rate-limit', 'unlimited', '--review']
    const { code, stderr, checks, ledger } = await review(`sh with-faults.sh ${command}`, options)
    expect(ledger.filter(({ state }) => state !== 'delivered')).toEqual([])
    const failed = checks.filter(({ result }) => result === 'failed')
    expect(failed.map(({ id }) => id)).toEqual([])
    expect(checks.find(({ id }) => id === 'missing-after-error')?.result).toBe('passed')
    expect(stderr.match(/is not complete: .+/g)).toEqual([expect.stringContaining('403')])
    expect(code).toBe(1)
  })
})

test(
  'the wrong client has a dozen mistakes, and the review names them and nothing else',
  { tags: ['core'] },
  async ({ expect }) => {
    const marked = await mistakesMarkedIn('wrong-client.js')
    const { code, checks } = await review('node wrong-client.js by-the-wrong-one')
    const failed = checks.filter(({ result }) => result === 'failed').map(({ id }) => id)
    expect(failed.toSorted()).toEqual(marked.toSorted())
    expect([code, marked.length]).toEqual([1, 12])
    expect(README).toContain(lineOf('node wrong-client.js by-the-wrong-one'))
  },
)
