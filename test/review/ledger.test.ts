import { afterEach, expect, test, vi } from 'vitest'
import { Client } from './client.ts'

afterEach(() => {
  vi.useRealTimers()
})

const REPORTS = '/projects/1/reports'
const SECOND = { project: 1, report_number: 2 }

/** What a client does with report 2 of project 1, which is to be sent to the client on 20 March; how the ledger has it then. */
const CASES: [title: string, act: (client: Client) => Promise<unknown>, entry: object][] = [
  [
    'delivered, where it is fetched once it is finished',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      client.wait(60)
      await client.ask(`${REPORTS}/2/content`)
    },
    {
      finished_at: '2026-03-15T12:00:00.000000Z',
      first_fetched_at: '2026-03-15T12:01:00.000000Z',
      fetches: 1,
      state: 'delivered',
    },
  ],
  [
    'missing, where its content is never fetched',
    (client) => client.sandbox.reports.complete(SECOND),
    {
      finished_at: '2026-03-15T12:00:00.000000Z',
      first_fetched_at: null,
      fetches: 0,
      state: 'missing',
    },
  ],
  [
    'missing, where its content came with a broken body',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      await client.sandbox.faults.add({ kind: 'truncated-body', schedule: { first: 1 } })
      await client.sandbox
        .fetch(`/api/v1${REPORTS}/2/content`, { headers: { Authorization: 'Bearer agency-token' } })
        .then((response) => response.text())
        .catch(() => undefined)
    },
    { fetches: 0, state: 'missing' },
  ],
  [
    'unfinished, where its content was fetched before it was ever seen completed',
    async (client) => {
      await client.ask(`${REPORTS}/2/content`)
      await client.sandbox.reports.complete(SECOND)
    },
    { fetches: 0, state: 'unfinished' },
  ],
  [
    'unfinished also where it was fetched again later',
    async (client) => {
      await client.ask(`${REPORTS}/2/content`)
      await client.sandbox.reports.complete(SECOND)
      await client.ask(`${REPORTS}/2/content`)
    },
    { fetches: 1, state: 'unfinished' },
  ],
  [
    'stale, where it was regenerated after it was fetched',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      await client.ask(`${REPORTS}/2/content`)
      await client.sandbox.reports.regenerate(SECOND)
      await client.ask(REPORTS)
    },
    { report_id: 54, fetches: 0, state: 'stale' },
  ],
  [
    'delivered, where the regenerated one was fetched too',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      await client.ask(`${REPORTS}/2/content`)
      await client.sandbox.reports.regenerate(SECOND)
      await client.ask(`${REPORTS}/2/content`)
    },
    { fetches: 1, state: 'delivered' },
  ],
  [
    'late, where it was first fetched on the day after it was to be sent',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      await client.sandbox.clock.set('2026-03-21')
      await client.ask(`${REPORTS}/2/content`)
    },
    { first_fetched_at: '2026-03-21T00:00:00.000000Z', state: 'late' },
  ],
  [
    'delivered, where it was fetched on that day',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      await client.sandbox.clock.set('2026-03-20T23:59:59Z')
      await client.ask(`${REPORTS}/2/content`)
    },
    { state: 'delivered' },
  ],
  [
    'delivered, where only the service was late',
    async (client) => {
      await client.sandbox.clock.set('2026-03-25')
      await client.sandbox.reports.complete(SECOND)
      await client.ask(`${REPORTS}/2/content`)
    },
    { state: 'delivered' },
  ],
  [
    'twice, where it was fetched again unchanged',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      await client.askAfter([0, 120], `${REPORTS}/2/content`)
    },
    { fetches: 2, state: 'twice' },
  ],
  [
    'delivered, where it was fetched again when it was approved',
    async (client) => {
      await client.sandbox.reports.complete(SECOND)
      await client.ask(`${REPORTS}/2/content`)
      await client.sandbox.reports.approve(SECOND, { approved_by: null })
      await client.ask(`${REPORTS}/2/content`)
    },
    { fetches: 2, state: 'delivered' },
  ],
]

test.each(CASES)('a report is %s', async (_, act, entry) => {
  const client = await Client.start()
  await client.ask('/projects/1')
  await act(client)
  const { ledger } = client.sandbox.review()
  expect(ledger.find(({ report_number }) => report_number === 2)).toMatchObject(entry)
  expect(ledger.map(({ project }) => project)).toEqual([1, 1])
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
