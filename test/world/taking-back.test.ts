import { describe, expect, test } from 'vitest'
import { REPORT_STEP_NAMES } from '../../src/contract/report-facts.ts'
import { createSandbox } from '../../src/index.ts'
import type { Command, Sandbox } from '../../src/index.ts'
import { inState, open } from '../support/lives.ts'
import { aToken, aWorld } from '../support/worlds.ts'

/** Commands that take a step back: `record.restore` and `fault.restore` leave the world as if the step had not happened. */

const REPORT = { project: 1, report_number: 1 }

/** The state of a world, except its journal and its counters of requests. */
async function stateOf(sandbox: Sandbox): Promise<unknown> {
  const { clock, origin, policies, faults, records, removed, stated, moving } =
    await sandbox.snapshot()
  return { clock, origin, policies, faults, records, removed, stated, moving }
}

function stored(sandbox: Sandbox, id: number) {
  return structuredClone(sandbox.world.recordState('reports', id))
}

async function restore(sandbox: Sandbox, id: number, state: object): Promise<void> {
  await sandbox.command({ type: 'record.restore', collection: 'reports', id, state } as Command)
}

/** Future states of the reports of a project, day by day. */
function futureOf({ world }: Sandbox, project: number): unknown {
  const start = Date.parse(world.clock.now)
  const moments = Array.from({ length: 60 }, (_, index) => start + index * 86_400_000)
  return moments.map((atMs) => structuredClone(world.records.reportsOf(project, atMs)))
}

const NOTHING = { record: null, removed: false, stated: false, moves_from: null }

const FROM = { start: 'pending', retry: 'failed', complete: 'pending', fail: 'pending' } as const

describe.each(['manual', 'time', 'reads'] as const)('with progress by %s', (mode) => {
  test.each(REPORT_STEP_NAMES)(
    '%s is taken back, and the report goes on as before',
    async (step) => {
      const status = FROM[step as keyof typeof FROM] ?? 'completed'
      const sandbox = await open([inState(status)], { progress: { mode, reads: 1 } })
      await sandbox.clock.advance('PT1H')
      const [before, future] = [await stateOf(sandbox), futureOf(sandbox, 1)]
      const earlier = stored(sandbox, 1)
      const { id } = await sandbox.reports[step](REPORT)
      expect(await stateOf(sandbox)).not.toEqual(before)
      if (id !== 1) await restore(sandbox, id, NOTHING)
      await restore(sandbox, 1, earlier)
      expect(await stateOf(sandbox)).toEqual(before)
      expect(futureOf(sandbox, 1)).toEqual(future)
    },
  )

  test('a step is taken back after another one, to what that had left', async () => {
    const sandbox = await open([inState('pending')], { progress: { mode, reads: 1 } })
    await sandbox.reports.start(REPORT)
    await sandbox.clock.advance('PT1M')
    const [before, future] = [await stateOf(sandbox), futureOf(sandbox, 1)]
    const earlier = stored(sandbox, 1)
    await sandbox.reports.fail(REPORT)
    await restore(sandbox, 1, earlier)
    expect(await stateOf(sandbox)).toEqual(before)
    expect(futureOf(sandbox, 1)).toEqual(future)
  })

  test('a report that was created is gone, and its id is free again', async () => {
    const sandbox = await open([inState('completed')], { progress: { mode, reads: 1 } })
    const before = await stateOf(sandbox)
    const { id } = await sandbox.reports.create({ project: 1 })
    await restore(sandbox, id, NOTHING)
    expect(await stateOf(sandbox)).toEqual(before)
    expect((await sandbox.reports.create({ project: 1 })).id).toBe(id)
  })
})

test('a generated report is generated again', async () => {
  const sandbox = await createSandbox({ demo: true, now: '2026-03-15T12:00:00Z', frozen: true })
  const [before, future] = [await stateOf(sandbox), futureOf(sandbox, 1001)]
  const reports = sandbox.world.records.reportsOf(1001)
  const { id, report_number } = reports.findLast(({ status }) => status === 'completed')!
  expect(stored(sandbox, id)).toEqual(NOTHING)
  const made = await sandbox.reports.regenerate({ project: 1001, report_number })
  await restore(sandbox, made.id, NOTHING)
  await restore(sandbox, id, NOTHING)
  expect(await stateOf(sandbox)).toEqual(before)
  expect(futureOf(sandbox, 1001)).toEqual(future)
})

test('a token is as it was, and one that did not exist is gone', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const { world } = sandbox
  const before = await stateOf(sandbox)
  const earlier = structuredClone(world.recordState('tokens', 1))
  await sandbox.command({
    type: 'record.patch',
    collection: 'tokens',
    id: 1,
    patch: { status: 'disabled' },
  })
  const record = { ...aToken({ id: 9, token: 'another-token' }) }
  await sandbox.command({ type: 'record.put', collection: 'tokens', record })
  const command = { type: 'record.restore', collection: 'tokens' } as const
  await sandbox.command({ ...command, id: 1, state: earlier })
  await sandbox.command({ ...command, id: 9, state: NOTHING })
  expect(await stateOf(sandbox)).toEqual(before)
})

test('a record that others refer to, or that would refer to nothing, is refused', async () => {
  const sandbox = await open([inState('pending')])
  const command = { type: 'record.restore', id: 1 } as const
  await expect(
    sandbox.command({ ...command, collection: 'agencies', state: NOTHING }),
  ).rejects.toThrow('agency 1 is still referenced')
  const record = { ...inState('pending'), project: 99 }
  await expect(
    sandbox.command({ ...command, collection: 'reports', state: { ...NOTHING, record } }),
  ).rejects.toThrow('project')
  await expect(
    sandbox.command({ ...command, collection: 'projects' as never, state: NOTHING }),
  ).rejects.toThrow()
})

test('the journal names the record that was restored, without its state', async () => {
  const sandbox = await open([inState('pending')])
  await restore(sandbox, 1, stored(sandbox, 1))
  expect(sandbox.world.journal.commands.at(-1)?.command).toEqual({
    type: 'record.restore',
    collection: 'reports',
    id: 1,
  })
})

test('faults are armed again with their ids, in their order, and count on', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  await sandbox.faults.set([
    { kind: 'status', status: 503, schedule: { first: 2 } },
    { kind: 'html', schedule: { nth: 5 } },
    { kind: 'reset', schedule: { nth: 9 } },
  ])
  const send = async () => (await sandbox.fetch('/api/v1/me')).status
  expect(await send()).toBe(503)
  const before = sandbox.faults.list()
  const [first, second] = before.map(({ id, matched, fired, exhausted: _exhausted, ...fault }) => ({
    id,
    matched,
    fired,
    fault,
  }))
  await sandbox.faults.remove(2)
  await sandbox.faults.remove(1)
  await sandbox.command({ type: 'fault.restore', faults: [second, first] as never })
  expect(sandbox.faults.list()).toEqual(before)
  expect([await send(), await send()]).toEqual([503, 401])
  await expect(
    sandbox.command({ type: 'fault.restore', faults: [first] as never }),
  ).rejects.toThrow('Fault 1 is armed.')
  expect((await sandbox.faults.add({ kind: 'html' })).id).toBe(4)
})
