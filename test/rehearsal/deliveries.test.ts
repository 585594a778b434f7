import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { Deliveries } from '../../src/rehearsal/report-deliveries.ts'

/** Records of the reports that were to be fetched, and of their fetches, judged by the runs in which a fetch was possible. */

const START = '2026-03-01T06:00:00Z'
const DAY_MS = 86_400_000
const atMs = (day: number) => Date.parse(START) + day * DAY_MS

const FIXTURES = {
  version: 1 as const,
  tokens: [{ id: 1, name: 'Token', token: 'token', agency: 1, rate_limit: 'unlimited' as const }],
  agencies: [
    { id: 1, name: 'Ours' },
    { id: 2, name: 'Theirs' },
  ],
  projects: [1, 2].map((agency) => ({
    id: agency * 100,
    agency,
    name: 'Project',
    status: 'active',
    created_at: '2026-01-01T00:00:00Z',
    reports: [1, 2].map((number) => ({
      id: agency * 10 + number,
      report_number: number,
      status: number === 1 ? ('completed' as const) : ('pending' as const),
      created_at: '2026-01-01T00:00:00Z',
      date_to_create_texts: '2026-03-02',
      date_to_send_to_client: number === 1 ? null : '2026-03-05',
    })),
  })),
}

interface Stage {
  sandbox: Sandbox
  deliveries: Deliveries
  /** Plays a run on a day, counted from 0: the commands before it, then reads of the contents of the report numbers. */
  run: (
    day: number,
    options?: {
      before?: () => Promise<unknown>
      reads?: readonly number[]
      kind?: 'calm' | 'fault' | 'outage'
    },
  ) => Promise<void>
}

async function setStage({ includesEarlier = true } = {}): Promise<Stage> {
  const sandbox = await createSandbox({ fixtures: FIXTURES, now: START, frozen: true })
  const { records } = sandbox.world
  const deliveries = new Deliveries({ records, agency: 1, startMs: atMs(0), includesEarlier })
  sandbox.world.subscribe({ onRequest: (recorded) => deliveries.read(recorded) })
  return {
    sandbox,
    deliveries,
    run: async (day, { before, reads = [], kind = 'calm' } = {}) => {
      await sandbox.clock.set(new Date(atMs(day)))
      await before?.()
      deliveries.beginRun(day, atMs(day))
      for (const number of reads) {
        await sandbox.fetch(`/api/v1/projects/100/reports/${number}/content`, {
          headers: { Authorization: 'Bearer token' },
        })
      }
      deliveries.endRun(day, { isCalm: kind === 'calm', isOutage: kind === 'outage' })
    },
  }
}

/** The state of each report, by report id. */
function statesOf({ deliveries }: Stage) {
  return Object.fromEntries(deliveries.list().map(({ report_id, state }) => [report_id, state]))
}

test('a report that was completed from the start is due from the first run, and one of another agency never', async () => {
  const stage = await setStage()
  await stage.run(0)
  expect(statesOf(stage)).toEqual({ 11: 'missing' })
  await stage.run(1, { reads: [1] })
  expect(statesOf(stage)).toEqual({ 11: 'delivered' })
  expect(stage.deliveries.delays()).toEqual([
    { project: 100, report_number: 1, report_id: 11, runs: 1, ms: DAY_MS },
  ])
})

test('what was completed before a rehearsal that begins in the middle is not due', async () => {
  const stage = await setStage({ includesEarlier: false })
  await stage.run(0)
  await stage.run(1, { reads: [1] })
  expect(statesOf(stage)).toEqual({})
})

describe('a report that is completed later', () => {
  const complete = (sandbox: Sandbox) => () =>
    sandbox.reports.complete({ project: 100, report_number: 2 })

  test.for<
    [
      title: string,
      runs: [day: number, options: Omit<NonNullable<Parameters<Stage['run']>[1]>, 'before'>][],
      state: string | undefined,
      delay: number,
    ]
  >([
    ['in the first run is delivered', [[1, { reads: [2] }]], 'delivered', 0],
    ['twice is delivered twice', [[1, { reads: [2, 2] }]], 'twice', 0],
    [
      'a run later is delayed',
      [
        [1, {}],
        [2, { reads: [2] }],
      ],
      'delivered',
      1,
    ],
    [
      'after an outage is not delayed',
      [
        [1, { kind: 'outage' }],
        [2, { reads: [2] }],
      ],
      'delivered',
      0,
    ],
    [
      'on the last day of its deadline is delivered',
      [
        [1, {}],
        [4, { reads: [2] }],
      ],
      'delivered',
      1,
    ],
    [
      'on the day after its deadline is late',
      [
        [1, {}],
        [5, { reads: [2] }],
      ],
      'late',
      1,
    ],
    [
      'after its deadline, and an outage until then, is delivered',
      [
        [1, { kind: 'outage' }],
        [5, { reads: [2] }],
      ],
      'delivered',
      0,
    ],
    [
      'after its deadline, and a fault until then, is delivered',
      [
        [1, { kind: 'fault' }],
        [5, { reads: [2] }],
      ],
      'delivered',
      1,
    ],
    ['never is missing', [[1, {}]], 'missing', 0],
    ['never, but in an outage, is not due', [[1, { kind: 'outage' }]], undefined, 0],
    ['never, but with faults, is not due', [[1, { kind: 'fault' }]], undefined, 0],
    [
      'never, with faults and then calm, is missing',
      [
        [1, { kind: 'fault' }],
        [2, {}],
      ],
      'missing',
      0,
    ],
  ])('and fetched %s', async ([, runs, state, delay]) => {
    const stage = await setStage()
    await stage.run(0, { reads: [1] })
    for (const [index, [day, options]] of runs.entries()) {
      const before = index === 0 ? { before: complete(stage.sandbox) } : {}
      await stage.run(day, { ...options, ...before })
    }
    expect(statesOf(stage)[12]).toBe(state)
    const own = stage.deliveries.delays().find(({ report_id }) => report_id === 12)
    expect(own?.runs ?? 0).toBe(delay)
  })

  test('and read before, is unfinished until it is read again', async () => {
    const stage = await setStage()
    await stage.run(0, { reads: [1, 2] })
    await stage.run(1, { before: complete(stage.sandbox) })
    expect(statesOf(stage)[12]).toBe('unfinished')
    await stage.run(2, { reads: [2] })
    expect(statesOf(stage)[12]).toBe('delivered')
  })
})

describe('a report that is regenerated', () => {
  const regenerate = async ({ sandbox }: Stage) => {
    const { id } = await sandbox.reports.regenerate({ project: 100, report_number: 1 })
    return id
  }

  test('is due again, and stale where only the one before was fetched', async () => {
    const stage = await setStage()
    await stage.run(0, { reads: [1] })
    let id = 0
    await stage.run(1, { before: async () => (id = await regenerate(stage)) })
    expect(statesOf(stage)).toMatchObject({ 11: 'delivered', [id]: 'stale' })
    await stage.run(2, { reads: [1] })
    expect(statesOf(stage)).toMatchObject({ 11: 'delivered', [id]: 'delivered' })
  })

  test('is missing, and the one before too, where there was a run for each', async () => {
    const stage = await setStage()
    await stage.run(0)
    let id = 0
    await stage.run(1, { before: async () => (id = await regenerate(stage)) })
    expect(statesOf(stage)).toMatchObject({ 11: 'missing', [id]: 'missing' })
  })

  test('before any run could fetch it, is due once', async () => {
    const stage = await setStage()
    let id = 0
    await stage.run(0, { before: async () => (id = await regenerate(stage)) })
    expect(statesOf(stage)).toEqual({ [id]: 'missing' })
  })
})

describe('a project', () => {
  test('that is paused owes nothing until it is active again', async () => {
    const stage = await setStage()
    const patch = (status: string) => () =>
      stage.sandbox.command({
        type: 'record.patch',
        collection: 'projects',
        id: 100,
        patch: { status },
      })
    await stage.run(0, { before: patch('paused') })
    expect(statesOf(stage)).toEqual({})
    await stage.run(1, { before: patch('active'), reads: [1] })
    expect(statesOf(stage)).toEqual({ 11: 'delivered' })
    expect(stage.deliveries.delays()).toEqual([])
  })

  test('that is gone keeps what it owed before', async () => {
    const stage = await setStage()
    await stage.run(0)
    await stage.run(1, {
      before: () =>
        stage.sandbox.command({ type: 'record.delete', collection: 'projects', id: 100 }),
    })
    expect(statesOf(stage)).toEqual({ 11: 'missing' })
  })

  test('that is gone before any run owes nothing', async () => {
    const stage = await setStage()
    await stage.run(0, {
      before: () =>
        stage.sandbox.command({ type: 'record.delete', collection: 'projects', id: 100 }),
    })
    expect(statesOf(stage)).toEqual({})
  })
})

test('reports that time completes are noted at their moment, in whichever run that is', async () => {
  const sandbox = await createSandbox({ demo: true, now: START, frozen: true })
  const { records } = sandbox.world
  const deliveries = new Deliveries({
    records,
    agency: 1,
    startMs: atMs(0),
    includesEarlier: false,
  })
  for (let day = 0; day < 60; day += 1) {
    await sandbox.clock.set(new Date(atMs(day)))
    deliveries.beginRun(day, atMs(day))
    deliveries.endRun(day, { isCalm: true, isOutage: false })
  }
  const rows = deliveries.list()
  expect(rows.length).toBeGreaterThan(40)
  for (const { project, report_id, finished_at } of rows) {
    const ms = Date.parse(finished_at!)
    const at = (moment: number) =>
      records.reportsOf(project, moment).find(({ id }) => id === report_id)?.status
    expect([at(ms - 60_000), at(ms)]).toEqual(['running', 'completed'])
  }
})
