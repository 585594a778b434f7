import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, test } from 'vitest'
import type { FaultInput, Review } from '../../src/index.ts'
import type { CheckId } from '../../src/review/checks/index.ts'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import { startServer } from '../../src/server.ts'
import { LIMITED, reviewedWorld } from '../review/client.ts'
import { fromRoot } from '../support/cli.ts'
import { isFullDepth } from '../support/depth.ts'
import { AGENCY } from '../support/worlds.ts'

/** Right and wrong clients in several languages and libraries: `test/clients/corpus`. */

/** A language with a library, and its number of parallel requests. */
interface Kind {
  name: string
  command: string[]
  library: string
  workers: number
}

/** The behaviour of a client. */
interface Plan {
  title: string
  steps: string[]
  retry?: 'right' | 'none' | 'flat' | 'impatient' | 'stubborn'
  token?: string
  /** The headers in place of a bearer token and an `Accept` of JSON. */
  headers?: string
  isParallel?: boolean
  faults?: FaultInput[]
}

interface Mistake extends Plan {
  finds: CheckId
}

const GO = ['go', 'run', 'client.go']
// Debian's packages are for Debian's Python.
const PYTHON = ['/usr/bin/python3', 'client.py']

function kinds(name: string, command: string[], workers: number, libraries: string[]): Kind[] {
  return libraries.map((library) => ({
    name: `${name} with ${library}`,
    command,
    library,
    workers,
  }))
}

const KINDS: Kind[] = [
  ...kinds('Node', ['node', 'client.js'], 8, [
    'fetch',
    'http',
    'http-keep-alive',
    'axios',
    'got',
    'ky',
  ]),
  ...kinds('Python', PYTHON, 8, ['urllib', 'http.client', 'requests', 'session']),
  ...kinds('PHP', ['php', 'client.php'], 1, ['streams', 'curl', 'curl-handle', 'guzzle']),
  ...kinds('shell', ['bash', 'client.sh'], 4, ['curl', 'wget']),
  // Go has to be compiled.
  ...(isFullDepth ? kinds('Go', GO, 8, ['keep-alive', 'close']) : []),
]

const API = '/api/v1'
const REPORTS = `${API}/projects/1/reports`
const LATEST = `${REPORTS}/latest`

/** Paths with the numbers from 1 to `count` in them. */
function paths(count: number, toPath: (number: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => API + toPath(index + 1))
}

/** A fault of the first requests for an endpoint. */
function first(
  count: number,
  status: 401 | 408 | 429 | 500 | 503,
  retry_after?: number,
): FaultInput {
  return {
    kind: 'status',
    status,
    schedule: { first: count },
    ...(retry_after !== undefined && { retry_after }),
  }
}

const KEYWORDS = paths(5, (id) => `/projects/${id}/keywords`)
const CONTENTS = paths(5, (id) => `/projects/${id}/reports/1/content`)
const LISTS = paths(5, (id) => `/projects/${id}/reports`)
const ALL = ['/users', '/languages'].map((path) => API + path)
/** Distinct paths, more than the token with five requests a minute can read. */
const TOO_MANY = paths(
  40,
  (number) => `/projects/${(number % 5) + 1}/reports/${(number % 23) + 4}/content`,
)

const RIGHT: Plan[] = [
  {
    title: 'reads everything once',
    steps: [...ALL, `next:${API}/projects?per_page=2&status=active`, ...LISTS, ...CONTENTS],
  },
  {
    title: 'tries again what fails',
    steps: [`next:${API}/projects?per_page=2`, ...LISTS, ...CONTENTS, ...KEYWORDS],
    faults: [
      { ...first(2, 503), endpoint: 'GET /projects' },
      { ...first(1, 429, 1), project: 1 },
      { ...first(1, 408), project: 2 },
      { kind: 'truncated-body', project: 3, schedule: { first: 1 } },
      { kind: 'malformed-json', project: 4, schedule: { first: 1 } },
      { kind: 'reset', project: 5, schedule: { first: 1 } },
    ],
  },
  {
    title: 'has workers',
    isParallel: true,
    steps: [...ALL, ...LISTS, ...CONTENTS, ...KEYWORDS],
    faults: [first(3, 503)],
  },
  {
    title: 'has workers that end where its limit is used up',
    isParallel: true,
    token: LIMITED,
    steps: [...LISTS, ...CONTENTS, ...KEYWORDS],
  },
  {
    title: 'has workers that end where its token is refused',
    isParallel: true,
    steps: [`${API}/me`, 'sleep:0.2', ...LISTS, ...KEYWORDS, ...CONTENTS],
    faults: [{ ...first(20, 401), endpoint: 'GET /projects/{project}/keywords' }],
  },
]

const WRONG: Mistake[] = [
  {
    finds: 'retry-after',
    title: 'does not read Retry-After',
    retry: 'impatient',
    steps: [`${API}/projects`],
    faults: [first(1, 429, 3)],
  },
  {
    finds: 'token-told-to-wait',
    title: 'reads on after a 429',
    retry: 'none',
    token: LIMITED,
    steps: [...LISTS, ...TOO_MANY],
  },
  {
    finds: 'backoff',
    title: 'never pauses longer',
    retry: 'flat',
    steps: [`${API}/projects`],
    faults: [first(7, 503)],
  },
  {
    finds: 'retry-unauthorised',
    title: 'repeats a 401',
    retry: 'stubborn',
    steps: [`${API}/projects`],
    faults: [first(1, 401)],
  },
  {
    finds: 'retry-unauthorised',
    title: 'reads on after a 401',
    retry: 'none',
    steps: [`${API}/me`, ...TOO_MANY],
    faults: [
      {
        ...first(60, 401),
        endpoint: 'GET /projects/{project}/reports/{report_number}/content',
      },
    ],
  },
  {
    finds: 'retry-missing',
    title: 'repeats a 404',
    retry: 'stubborn',
    steps: [`${API}/projects/99`],
  },
  ...[500, 503].map((status): Mistake => ({
    finds: 'missing-after-error',
    title: `does without what a ${status} left out`,
    retry: 'none',
    steps: [`${API}/projects`, `${API}/users`],
    faults: [first(1, status as 500)],
  })),
  ...(['truncated-body', 'malformed-json', 'reset'] as const).map((kind): Mistake => ({
    finds: 'missing-after-error',
    title: `does without what came with a fault ${kind}`,
    retry: 'none',
    steps: [`${API}/projects`, `${API}/users`],
    faults: [{ kind, schedule: { first: 1 } }],
  })),
  ...[first(1, 429, 1), first(1, 408)].map((fault): Mistake => ({
    finds: 'missing-after-error',
    title: 'does without what it was told to read later',
    retry: 'none',
    steps: [`${API}/projects`, 'sleep:1.1', `${API}/users`],
    faults: [fault],
  })),
  {
    finds: 'unfinished-content',
    title: 'reads the content of a running report',
    steps: [REPORTS, `${REPORTS}/2/content`],
  },
  { finds: 'poll-latest', title: 'polls latest', steps: [LATEST, LATEST, LATEST] },
  {
    finds: 'report-number-range',
    title: 'counts reports from 0',
    steps: [REPORTS, `${REPORTS}/0/content`, `${REPORTS}/1/content`],
  },
  {
    finds: 'next-link',
    title: 'reads the first page alone',
    steps: [`${API}/projects?per_page=2`],
  },
  {
    finds: 'hand-made-pages',
    title: 'forgets the filter of its pages',
    steps: [`${API}/projects?per_page=3&status=active`, `${API}/projects?per_page=3&page=2`],
  },
  {
    finds: 'hand-made-pages',
    title: 'reads pages of another size',
    steps: [2, 3].map((size, index) => `${API}/projects?per_page=${size}&page=${index + 1}`),
  },
  {
    finds: 'unknown-parameter',
    title: 'filters a list that has no filter',
    steps: [`${REPORTS}?status=completed`],
  },
  {
    finds: 'agency-filter-scoped',
    title: 'sends agency_id',
    steps: [`${API}/projects?agency_id=1`],
  },
  {
    finds: 'unknown-path',
    title: 'misspells a path',
    steps: [`${API}/me`, `${API}/project/1`],
  },
  { finds: 'unknown-path', title: 'leaves out the prefix', steps: ['/v1/projects'] },
  {
    finds: 'doubled-prefix',
    title: 'has the prefix twice',
    steps: [`${API}/me`, `${API}${REPORTS}`],
  },
  {
    finds: 'one-by-one',
    title: 'reads languages one by one',
    steps: paths(7, (id) => `/languages/${id}`),
  },
  {
    finds: 'probing',
    title: 'tries ids',
    steps: [`${API}/me`, ...paths(12, (id) => `/projects/${id + 90}`)],
  },
  {
    finds: 'repeated-read',
    title: 'reads a list twice',
    steps: [`${API}/projects`, `${API}/projects`],
  },
  {
    finds: 'repeated-read',
    title: 'asks whose token it is ahead of each request',
    steps: [...LISTS, ...CONTENTS].flatMap((path) => [`${API}/me`, path]),
  },
  {
    finds: 'json-accept',
    title: 'accepts anything',
    headers: `Authorization: Bearer ${AGENCY}\nAccept: */*`,
    steps: [`${API}/projects`],
  },
  {
    finds: 'unauthenticated',
    title: 'leaves out Bearer',
    headers: `Authorization: ${AGENCY}\nAccept: application/json`,
    steps: [`${API}/projects`],
  },
  {
    finds: 'unauthenticated',
    title: 'sends its token in another header',
    headers: `X-Api-Key: ${AGENCY}\nAccept: application/json`,
    steps: [`${API}/projects`],
  },
  {
    finds: 'token-in-url',
    title: 'sends its token in the query',
    headers: 'Accept: application/json',
    steps: [`${API}/projects?api_token=${AGENCY}`],
  },
  {
    finds: 'token-in-browser',
    title: 'sends its token from a page',
    headers: `Authorization: Bearer ${AGENCY}\nAccept: application/json\nOrigin: https://app.example`,
    steps: [`${API}/projects`],
  },
]

/** The review of a client with this plan, once as it runs and once when its session is replayed. */
async function reviewOf(
  { command, library, workers }: Kind,
  plan: Plan,
): Promise<[Review, Review]> {
  const { steps, retry = 'right', token = AGENCY, isParallel, faults = [] } = plan
  const { headers = `Authorization: Bearer ${token}\nAccept: application/json` } = plan
  const { sandbox, url, close } = await startServer({ port: 0, fixtures: reviewedWorld({}) })
  for (const fault of faults) await sandbox.faults.add(fault)
  const [program = '', ...args] = command
  const client = spawn(program, [...args, ...steps], {
    cwd: fromRoot('test/clients/corpus'),
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      SEO_SANDBOX_URL: url,
      CLIENT_LIBRARY: library,
      CLIENT_HEADERS: headers,
      CLIENT_RETRY: retry,
      CLIENT_WORKERS: String(isParallel ? workers : 1),
    },
  })
  const [said] = await Promise.all([text(client.stderr), once(client, 'close')])
  if (/Traceback|Fatal error|SyntaxError/.test(said)) throw new Error(said)
  await close()
  return [sandbox.review(), await reviewSession(await sandbox.session())]
}

/** At full depth, one in `oneIn` of all pairs of a kind and a plan; otherwise a tenth of that. */
function pairsOf<P>(plans: readonly P[], oneIn: number): { kind: Kind; plan: P }[] {
  const all = plans.flatMap((plan, at) =>
    KINDS.map((kind, index) => ({ kind, plan, turn: at * 7 + index })),
  )
  return all.filter(({ turn }) => turn % (isFullDepth ? oneIn : oneIn * 10) === 0)
}

/** The findings of all checks, each after the id of its check. */
function foundIn({ checks }: Review): string[] {
  return checks.flatMap(({ id, findings }) => findings.map(({ message }) => `${id}: ${message}`))
}

describe('a right client has no findings', () => {
  test.for(pairsOf(RIGHT, 1))('$kind.name $plan.title', async ({ kind, plan }, { expect }) => {
    const [review, replayed] = await reviewOf(kind, plan)
    expect(foundIn(review)).toEqual([])
    expect(review.verdict).toBe('passed')
    expect(replayed).toEqual(review)
  })
})

// One after the other, because parallel clients would lengthen each other's pauses.
describe('each mistake is named once', () => {
  test.for(pairsOf(WRONG, 3))('$kind.name $plan.title', async ({ kind, plan }, { expect }) => {
    const [review, replayed] = await reviewOf(kind, plan)
    const failed = review.checks.filter(({ result }) => result === 'failed').map(({ id }) => id)
    expect(failed, foundIn(review).join('\n')).toEqual([plan.finds])
    expect(replayed).toEqual(review)
  })
})
