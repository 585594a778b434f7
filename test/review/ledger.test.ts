import { afterEach, describe, expect, test, vi } from 'vitest'
import { isFullDepth } from '../support/depth.ts'
import { aProject, aReport } from '../support/worlds.ts'
import { Client, resultOf } from './client.ts'
import { ask, play, reviewOfHistory, times, wait } from './history.ts'
import type { History, Step } from './history.ts'

afterEach(() => {
  vi.useRealTimers()
})

const REPORTS = '/projects/1/reports'
const FIRST = { project: 1, report_number: 1 }
const SECOND = { project: 1, report_number: 2 }
const NOON = '2026-03-15T12:00:00.000000Z'
const REPLACED = {
  id: 11,
  project: 1,
  report_number: 1,
  status: 'completed',
  created_at: '2026-01-01T00:00:00Z',
}

const complete: Step = ({ sandbox }) => sandbox.reports.complete(SECOND)
const regenerate: Step = ({ sandbox }) => sandbox.reports.regenerate(SECOND)
const runAgain: Step = ({ sandbox }) => sandbox.reports.set(SECOND, { status: 'running' })
const approve: Step = ({ sandbox }) => sandbox.reports.approve(SECOND, { approved_by: null })
const readList = ask(REPORTS)
const readContent = ask(`${REPORTS}/2/content`)

function setClock(now: string): Step {
  return ({ sandbox }) => sandbox.clock.set(now)
}

/**
 * Acts of a client on report 2 of project 1, which is to be sent to the customer on 20 March, and the resulting entry of the
 * ledger.
 */
const CASES: [title: string, act: History, entry: object][] = [
  [
    'delivered, where it is fetched once it is finished',
    [complete, wait(60_000), readContent],
    {
      finished_at: '2026-03-15T12:00:00.000000Z',
      first_fetched_at: '2026-03-15T12:01:00.000000Z',
      fetches: 1,
      state: 'delivered',
    },
  ],
  [
    'missing, where its content is never fetched',
    [complete],
    {
      finished_at: '2026-03-15T12:00:00.000000Z',
      first_fetched_at: null,
      fetches: 0,
      state: 'missing',
    },
  ],
  [
    'missing, where its content came with a broken body',
    [
      complete,
      ({ sandbox }) => sandbox.faults.add({ kind: 'truncated-body', schedule: { first: 1 } }),
      readContent,
    ],
    { fetches: 0, state: 'missing' },
  ],
  [
    'unfinished, where its content was fetched before it was ever seen completed',
    [readContent, complete],
    { fetches: 0, state: 'unfinished' },
  ],
  [
    'unfinished also where it was fetched again later',
    [readContent, complete, readContent],
    { fetches: 1, state: 'unfinished' },
  ],
  [
    'stale, where it was regenerated after it was fetched',
    [complete, readContent, regenerate, readList],
    { report_id: 54, fetches: 0, state: 'stale' },
  ],
  [
    'stale also where it was regenerated again before the client saw that',
    [complete, readContent, regenerate, regenerate],
    { report_id: 55, fetches: 0, state: 'stale' },
  ],
  [
    'stale also where it was regenerated again after the client saw that',
    [complete, readContent, regenerate, readList, regenerate, readList],
    { report_id: 55, fetches: 0, state: 'stale' },
  ],
  [
    'stale also where only the first of two regenerations was seen',
    [complete, readContent, regenerate, readList, regenerate],
    { report_id: 55, fetches: 0, state: 'stale' },
  ],
  [
    'missing, where it was seen and regenerated, and neither was fetched',
    [complete, readList, regenerate],
    { report_id: 54, fetches: 0, state: 'missing' },
  ],
  [
    'missing, where the client saw that it was regenerated, and fetched neither',
    [complete, readList, regenerate, readList],
    { report_id: 54, fetches: 0, state: 'missing' },
  ],
  [
    'delivered, where it was regenerated unseen, and its content fetched before it was completed again',
    [complete, readContent, regenerate, runAgain, readContent, complete, readContent],
    { report_id: 54, fetches: 1, state: 'delivered' },
  ],
  [
    'delivered, where it was so twice, and the client learnt of neither',
    [
      complete,
      readContent,
      times(2, () => [regenerate, runAgain, readContent]),
      complete,
      readContent,
    ],
    { report_id: 55, fetches: 1, state: 'delivered' },
  ],
  [
    'unfinished, where the list showed that it was generated again',
    [complete, readContent, regenerate, runAgain, readList, readContent, complete, readContent],
    { report_id: 54, fetches: 1, state: 'unfinished' },
  ],
  [
    'delivered, where it runs again after it was seen completed',
    [complete, readList, runAgain, readContent, complete, readContent],
    { report_id: 12, fetches: 1, state: 'delivered' },
  ],
  [
    'delivered, where the regenerated one was fetched too',
    [complete, readContent, regenerate, readContent],
    { fetches: 1, state: 'delivered' },
  ],
  [
    'late, where it was first fetched on the day after it was to be sent',
    [complete, setClock('2026-03-21'), readContent],
    { first_fetched_at: '2026-03-21T00:00:00.000000Z', state: 'late' },
  ],
  [
    'delivered, where it was fetched on that day',
    [complete, setClock('2026-03-20T23:59:59Z'), readContent],
    { state: 'delivered' },
  ],
  [
    'delivered, where only the service was late',
    [setClock('2026-03-25'), complete, readContent],
    { state: 'delivered' },
  ],
  [
    'twice, where it was fetched again unchanged',
    [complete, readContent, wait(120_000), readContent],
    { fetches: 2, first_fetched_at: '2026-03-15T12:00:00.000000Z', state: 'twice' },
  ],
  [
    'twice also where it was approved after that, and fetched once more',
    [complete, readContent, wait(120_000), readContent, approve, readContent],
    { fetches: 3, state: 'twice' },
  ],
  [
    'late rather than twice, where it is both',
    [complete, setClock('2026-03-21'), readContent, wait(120_000), readContent],
    { fetches: 2, state: 'late' },
  ],
  [
    'delivered, where it was fetched again when it was approved',
    [complete, readContent, approve, readContent],
    { fetches: 2, state: 'delivered' },
  ],
]

test.each(CASES)('a report is %s', async (_, act, entry) => {
  const client = await Client.start()
  await play(client, [ask('/projects/1'), act])
  const { ledger } = client.sandbox.review()
  expect(ledger.find(({ report_number }) => report_number === 2)).toMatchObject(entry)
  expect(ledger.map(({ project }) => project)).toEqual([1, 1])
})

const START = Date.parse('2026-03-15T12:00:00Z')
const SENT_BY = Date.parse('2026-03-21T00:00:00Z')
const COMPLETED = { id: 51, report_number: 1, status: 'completed' } as const

/** A world of project 1 with a report that was completed earlier, to be sent to the customer on 20 March. */
const COMPLETED_BEFORE = {
  projects: [
    aProject({ id: 1, reports: [aReport({ ...COMPLETED, date_to_send_to_client: '2026-03-20' })] }),
  ],
}

/** A moment that a state depends on, and the states a millisecond before it, at it, and a millisecond after it. */
const MOMENTS: [
  rule: string,
  atMs: number,
  stateAt: (ms: number) => Promise<unknown>,
  states: unknown[],
][] = [
  [
    'fetched on the day that it is to be sent, or late',
    SENT_BY,
    (ms) => stateAfter([(client) => moveTo(client, ms), ask(`${REPORTS}/1/content`)], START),
    ['delivered', 'late', 'late'],
  ],
  [
    'completed in time to be fetched in time, or not',
    SENT_BY,
    (ms) =>
      stateAfter(
        [
          (client) => client.sandbox.reports.set(FIRST, { status: 'running' }),
          (client) => moveTo(client, ms),
          (client) => client.sandbox.reports.complete(FIRST),
          (client) => moveTo(client, SENT_BY + 1),
          ask(`${REPORTS}/1/content`),
        ],
        START,
      ),
    ['late', 'delivered', 'delivered'],
  ],
  [
    'there when the client began in time, or too late for it',
    SENT_BY,
    (ms) => stateAfter([(client) => moveTo(client, SENT_BY + 1), ask(`${REPORTS}/1/content`)], ms),
    ['late', 'late', 'delivered'],
  ],
]

function moveTo(client: Client, ms: number): void {
  client.wait((ms - Date.now()) / 1000)
}

async function stateAfter(history: History, startMs: number): Promise<unknown> {
  const now = new Date(startMs).toISOString()
  const { ledger } = await reviewOfHistory(history, { now, ...COMPLETED_BEFORE }, startMs)
  return ledger[0]?.state
}

test.each(MOMENTS)('a report is %s', async (_, atMs, stateAt, states) => {
  const found = []
  for (const ms of [atMs - 1, atMs, atMs + 1]) found.push(await stateAt(ms))
  expect(found).toEqual(states)
})

/** Kinds of the last event that a review knows. */
const LAST: [what: string, act: (client: Client) => unknown][] = [
  ['request', (client) => client.ask('/me')],
  ['command', (client) => client.sandbox.faults.clear()],
]

test.each(LAST)('a review is as of the last %s', async (_, act) => {
  const fixtures = {
    progress: { mode: 'time' } as const,
    projects: [
      aProject({
        id: 1,
        reports: [aReport({ id: 1, status: 'running', date_to_create_texts: '2026-03-15' })],
      }),
    ],
  }
  const found = []
  const { sandbox } = await Client.start(fixtures)
  const statusAt = (ms: number) => sandbox.world.records.reportsOf(1, ms)[0]?.status
  const completedMs = sandbox.world.records
    .reportMomentsOf(1)
    .find((ms) => statusAt(ms) === 'completed')!
  for (const ms of [completedMs - 1, completedMs, completedMs + 1]) {
    const client = await Client.start(fixtures)
    await client.ask(REPORTS)
    moveTo(client, ms)
    await act(client)
    moveTo(client, completedMs + 60_000)
    found.push(client.sandbox.review().ledger.map(({ finished_at }) => Date.parse(finished_at!)))
  }
  expect(found).toEqual([[], [completedMs], [completedMs]])
})

/** Commands after which a report is completed, and its completion in the ledger. */
const FINISHES: [title: string, act: Step | History, finished: string | null][] = [
  ['a step', complete, NOON],
  [
    'a patch of its status',
    ({ sandbox }) => sandbox.reports.set(SECOND, { status: 'completed' }),
    NOON,
  ],
  [
    'two of them, the first of which counts',
    [complete, wait(60_000), ({ sandbox }) => sandbox.reports.set(SECOND, { status: 'completed' })],
    NOON,
  ],
  [
    'a record that is added',
    ({ sandbox }) =>
      sandbox.command({
        type: 'record.put',
        collection: 'reports',
        record: { ...REPLACED, id: 99, report_number: 9 },
      }),
    NOON,
  ],
  [
    'a record that replaces a completed one',
    ({ sandbox }) =>
      sandbox.command({ type: 'record.put', collection: 'reports', record: REPLACED }),
    null,
  ],
  ['a patch of another field', ({ sandbox }) => sandbox.reports.set(FIRST, { sent: true }), null],
]

test.each(FINISHES)('a report is finished by %s', async (_, act, finished) => {
  const client = await Client.start()
  await play(client, [ask('/projects/1'), act])
  const { ledger } = client.sandbox.review()
  expect(ledger.find(({ finished_at }) => finished_at !== null)?.finished_at ?? null).toBe(finished)
})

test('a report that reads complete is finished when a response first shows it', async () => {
  const reports = [aReport({ id: 1, status: 'running' })]
  const client = await Client.start({
    progress: { mode: 'reads', reads: 2 },
    projects: [aProject({ id: 1, reports })],
  })
  await client.askAfter([0, 60, 60, 60], REPORTS)
  const [entry] = client.sandbox.review().ledger
  expect(entry).toMatchObject({ finished_at: '2026-03-15T12:02:00.000000Z', state: 'missing' })
})

/** Projects from 1 on, each with a completed report 1 and a running report 2. */
const MANY = {
  projects: Array.from({ length: 1002 }, (_, index) =>
    aProject({
      id: index + 1,
      reports: [
        aReport({ id: 2 * index + 1, report_number: 1, status: 'completed' }),
        aReport({ id: 2 * index + 2, report_number: 2, status: 'running' }),
      ],
    }),
  ),
}

describe('a ledger of 1000 projects is full', () => {
  test.each([
    [999, 999, 1, 'failed'],
    [1000, 1000, 0, 'passed'],
  ])('after %i, it has %i', async (read, listed, ofAnother, unfinishedContent) => {
    const client = await Client.start(MANY)
    for (let id = 1; id <= read; id += 1) client.send(`/projects/${id}`)()
    const { ledger } = client.sandbox.review()
    expect(ledger).toHaveLength(listed)
    expect(client.sandbox.review({ projects: [1002] }).ledger).toHaveLength(ofAnother)
    expect(client.sandbox.review({ projects: [1] }).ledger).toHaveLength(1)
    // The client's reads of any more projects are not recorded.
    client.send('/projects/1002/reports/2/content')()
    const after = client.sandbox.review()
    expect([after.ledger.length, resultOf(after, 'unfinished-content')[0]]).toEqual([
      1000,
      unfinishedContent,
    ])
  })
})

test.runIf(isFullDepth)('when commands finished reports is known of 5000', async () => {
  const numbers = Array.from({ length: 26 }, (_, index) => index + 1)
  const projects = Array.from({ length: 193 }, (_, index) =>
    aProject({
      id: index + 1,
      reports: numbers.map((number) =>
        aReport({ id: index * 26 + number, report_number: number, status: 'running' }),
      ),
    }),
  )
  const { sandbox } = await Client.start({ projects })
  for (let report = 1; report <= 5001; report += 1)
    await sandbox.command({ type: 'report.complete', report, fields: {} })
  const { ledger } = sandbox.review({ projects: [193] })
  const [last, beyond] = [5000, 5001].map((id) => ledger.find(({ report_id }) => report_id === id))
  expect([last?.finished_at, beyond?.finished_at]).toEqual([NOON, null])
})

test('a ledger of given projects has those that were never read, and no others', async () => {
  const client = await Client.start()
  await client.ask('/projects/1')
  const { ledger } = client.sandbox.review({ projects: [3, 2, 3, 77] })
  expect(ledger.map(({ project, state }) => [project, state])).toEqual([
    [2, 'missing'],
    [3, 'missing'],
  ])
})

test('a report that no list shows has a row only once it was fetched: reports-list-levels (G-078)', async () => {
  const reports = [
    aReport({ id: 1, report_number: 1, status: 'completed' }),
    aReport({ id: 2, report_number: 2, status: 'completed', level: 'keyword' }),
  ]
  const client = await Client.start({ projects: [aProject({ id: 1, reports })] })
  const numbers = () => client.sandbox.review().ledger.map(({ report_number }) => report_number)
  await client.ask(REPORTS)
  expect(numbers()).toEqual([1, 2])
  await client.sandbox.reset()
  await client.sandbox.command({
    type: 'policy.set',
    policies: { 'reports-list-levels': 'filtered' },
  })
  await client.ask(REPORTS)
  expect(numbers()).toEqual([1])
  await client.ask(`${REPORTS}/2/content`)
  expect(numbers()).toEqual([1, 2])
})

test('a report that time completes is finished when it was, and not before the last request saw it', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-15T12:00:00Z') })
  const { createSandbox } = await import('../../src/index.ts')
  const sandbox = await createSandbox({ generate: { projects: 2, reports: 6 }, seed: '1' })
  const token = sandbox.world.records.all('tokens').find(({ agency }) => agency === null)
  const headers = { Authorization: `Bearer ${token!.token}` }
  const [project] = sandbox.world.records.all('projects')
  await sandbox.clock.advance('P60D')
  await sandbox.fetch(`/api/v1/projects/${project!.id}/reports`, { headers })
  const { ledger } = sandbox.review()
  expect(ledger.length).toBeGreaterThan(1)
  for (const { report_id, finished_at } of ledger) {
    const atMs = Date.parse(finished_at!)
    const statusAt = (ms: number) =>
      sandbox.world.records.reportsOf(project!.id, ms).find(({ id }) => id === report_id)?.status
    expect([statusAt(atMs - 60_000), statusAt(atMs)]).toEqual(['running', 'completed'])
  }
})
