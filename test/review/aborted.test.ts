import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { reviewSession } from '../../src/sandbox/review-session.ts'
import type { CheckId } from '../../src/review/checks/index.ts'
import { runs } from '../support/depth.ts'
import { Client, failedIn, resultOf } from './client.ts'
import { ask, askDuring, fail, giveUp, play, reviewOfHistory, times, wait } from './history.ts'
import type { History } from './history.ts'

/** Aborted responses: a client that goes before the last byte of a response was sent has received nothing. */

afterEach(() => {
  vi.useRealTimers()
})

const CONTENT = '/projects/1/reports/1/content'
const LIST = '/projects/1/reports'

const delay = (count: number) => (client: Client) =>
  client.sandbox.faults.add({ kind: 'latency', ms: 600_000, schedule: { first: count } })

/** Two orders: the end of a response is known before the client asks again, or after that. */
const ORDERS: [when: string, ask: (target: string, ...after: History) => History][] = [
  ['before', (target, ...after) => [giveUp(target, { tookMs: 2000 }), wait(500), ...after]],
  ['after', (target, ...after) => [askDuring(target, [wait(2500), ...after], { how: 'aborted' })]],
]

test.each(ORDERS)(
  'a report whose first response did not arrive is delivered once, by the retry that is logged %s its end',
  async (_, askAgain) => {
    for (const faults of [[], [delay(1)]]) {
      const review = await reviewOfHistory([
        ...faults,
        ask(LIST),
        wait(1000),
        askAgain(CONTENT, ask(CONTENT)),
        wait(70_000),
      ])
      expect(review.ledger).toMatchObject([{ report_number: 1, fetches: 1, state: 'delivered' }])
      expect(failedIn(review)).toEqual([])
      expect(resultOf(review, 'missing-after-error')).toEqual(['passed'])
      expect(review.verdict).toBe('passed')
    }
  },
)

test.each(ORDERS)(
  'what did not arrive is missing where other requests alone were logged %s its end',
  async (_, askAgain) => {
    const review = await reviewOfHistory([ask(LIST), askAgain(CONTENT, ask('/projects/1'))])
    expect(review.ledger).toMatchObject([{ fetches: 0, state: 'missing' }])
    expect(failedIn(review)).toEqual(['missing-after-error'])
    const { findings } = review.checks.find(({ id }) => id === 'missing-after-error')!
    expect(findings).toMatchObject([{ requests: [{ sequence: 2, status: 0 }] }])
  },
)

test.each(ORDERS)('what is never delivered is not read, %s', async (_, askAgain) => {
  const review = await reviewOfHistory([askAgain(CONTENT, giveUp(CONTENT))])
  expect(review).toMatchObject({ verdict: 'failed', ledger: [] })
  expect((await reviewOfHistory([giveUp('/me')])).verdict).toBe('nothing-read')
})

/** Histories in which only giving up matters, with the checks that fail. */
const CASES: [title: string, history: History, failed: CheckId[]][] = [
  [
    "a client's own timeouts at a constant interval",
    [delay(3), times(3, () => [giveUp(LIST, { tookMs: 2000 }), wait(1000)]), ask(LIST)],
    ['backoff'],
  ],
  [
    'timeouts without a pause',
    [delay(3), times(3, () => giveUp(LIST, { tookMs: 2000 })), ask(LIST)],
    ['backoff'],
  ],
  [
    'timeouts with growing pauses',
    [
      delay(3),
      [1000, 2000, 4000].map((ms) => [giveUp(LIST, { tookMs: 2000 }), wait(ms)]),
      ask(LIST),
    ],
    [],
  ],
  [
    'a wait that never arrived',
    [fail(429, 1, 30), giveUp(LIST, { tookMs: 2000 }), wait(1000), ask(LIST)],
    [],
  ],
  [
    'a refusal that never arrived',
    [
      giveUp(LIST, { token: 'x', tookMs: 2000 }),
      wait(1000),
      giveUp(LIST, { token: 'x' }),
      ask(LIST),
    ],
    ['missing-after-error'],
  ],
  [
    'a page that never arrived, whose link nobody could follow',
    [giveUp('/projects?per_page=2'), wait(1000), ask('/projects')],
    ['missing-after-error'],
  ],
]

test.each(CASES)('%s', async (_, history, failed) => {
  expect(failedIn(await reviewOfHistory(history))).toEqual(failed)
})

test('a client that goes after a response was cut off by a fault has lost what the fault says', async () => {
  const history = (how: 'sent' | 'aborted') => [
    (client: Client) =>
      client.sandbox.faults.add({ kind: 'truncated-body', schedule: { first: 1 } }),
    askDuring(LIST, [], { how }),
  ]
  expect(await reviewOfHistory(history('aborted'))).toEqual(await reviewOfHistory(history('sent')))
})

test.each([
  [249, 'missing'],
  [250, 'missing'],
  [251, 'delivered'],
])(
  'after %i further requests a response is %s whose client goes only then',
  async (count, state) => {
    const others = times(count, () => ask('/me'))
    const review = await reviewOfHistory([
      ask(LIST),
      askDuring(CONTENT, others, { how: 'aborted' }),
    ])
    expect(review.ledger).toMatchObject([{ state }])
  },
)

test('what waits for the end of a response is reviewed as it was, however small the journal', async () => {
  const client = await Client.start({}, undefined, { journal: 2 })
  const finish = client.send(LIST)
  await play(client, [ask(`${LIST}/0/content`), times(9, () => ask('/me'))])
  for (const act of [() => undefined, () => finish('aborted')]) {
    act()
    expect(resultOf(client.sandbox.review(), 'report-number-range')).toEqual(['failed', [2]])
  }
})

const PATHS = [CONTENT, LIST, `${LIST}/latest`, '/projects?per_page=2', '/me', '/languages/1']

type RandomStep =
  | { path: string }
  | { end: number; how: 'sent' | 'aborted' }
  | { wait: number }
  | { act: number }

const anyStep: fc.Arbitrary<RandomStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ path: fc.constantFrom(...PATHS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      end: fc.nat(9),
      how: fc.constantFrom<('sent' | 'aborted')[]>('sent', 'aborted'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ wait: fc.constantFrom(10, 2000, 40_000, 70_000) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.nat(3) }) },
)

const ACTS: ((client: Client) => unknown)[] = [
  (client) => client.fail(503, 1, 5),
  (client) => client.fail(429, 1, 30),
  (client) => client.sandbox.clock.advance('PT1H'),
  delay(1),
]

/** Plays a client whose responses end at any time and in any way, in a world with this journal size. */
async function playRandom(steps: readonly RandomStep[], journal: number): Promise<Client> {
  const client = await Client.start({}, undefined, { journal })
  const open: ((how: 'sent' | 'aborted') => void)[] = []
  for (const step of steps) {
    if ('path' in step) open.push(client.send(step.path))
    else if ('wait' in step) client.wait(step.wait / 1000)
    else if ('act' in step) await ACTS[step.act]!(client)
    else for (const end of open.splice(step.end % (open.length || 1), 1)) end(step.how)
  }
  return client
}

test('a replayed session is reviewed alike, whenever responses ended and however', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
      const { sandbox } = await playRandom(steps, 5000)
      const review = sandbox.review()
      const session = JSON.parse(JSON.stringify(await sandbox.session()))
      expect(await reviewSession(session)).toEqual(review)
      const { sandbox: small } = await playRandom(steps, 2)
      expect(small.review()).toEqual(review)
    }),
    { numRuns: runs(600) },
  )
})
