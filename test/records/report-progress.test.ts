import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { ReportProgress } from '../../src/records/report-progress.ts'
import { AGENCY, aReport, withReports } from '../support/worlds.ts'

/** G-086: the progress of reports with the world clock. */

const headers = { authorization: `Bearer ${AGENCY}` }

async function statusOfReport(sandbox: Awaited<ReturnType<typeof createSandbox>>): Promise<string> {
  const response = await sandbox.fetch('/api/v1/projects/1/reports', { headers })
  const { data } = (await response.json()) as { data: { status: string }[] }
  return data[0]?.status ?? ''
}

test('a running report stays running when the clock is set to a time before the load', async () => {
  const sandbox = await createSandbox({
    fixtures: withReports([aReport({ id: 1, status: 'running' })], { progress: { mode: 'time' } }),
  })
  expect(await statusOfReport(sandbox)).toBe('running')
  await sandbox.clock.set('2026-03-01')
  expect(await statusOfReport(sandbox)).toBe('running')
  await sandbox.clock.set('2026-03-17')
  expect(await statusOfReport(sandbox)).toBe('completed')
})

test('a pending report does not start before its date, wherever the clock is set', async () => {
  const report = aReport({ id: 1, date_to_create_texts: '2026-03-20' })
  const sandbox = await createSandbox({
    fixtures: withReports([report], { progress: { mode: 'time' } }),
  })
  for (const [now, status] of [
    ['2026-01-01', 'pending'],
    ['2026-03-19T23:59:00Z', 'pending'],
    ['2026-03-22', 'completed'],
    ['2026-03-16', 'pending'],
  ] as const) {
    await sandbox.clock.set(now)
    expect(await statusOfReport(sandbox)).toBe(status)
  }
})

test('a report changes at the moments of its progress, and at no other time', async () => {
  const report = aReport({
    id: 1,
    date_to_create_texts: '2026-03-20',
    date_to_send_to_client: '2026-03-27',
  })
  const sandbox = await createSandbox({
    fixtures: withReports([report], { progress: { mode: 'time' } }),
  })
  const { records } = sandbox.world
  const loadedMs = Date.parse(sandbox.clock.read().now)
  const moments = records.reportMomentsOf(1).filter((ms) => ms > loadedMs)
  const lastMs = moments.at(-1) ?? NaN
  const rowAt = (ms: number) => records.reportsOf(1, ms)[0]
  const rows = [loadedMs, ...moments].map((ms, index) => {
    const untilMs = moments[index] ?? Date.parse('2027-01-01')
    expect(rowAt(untilMs - 1)).toEqual(rowAt(ms))
    return rowAt(ms)
  })
  expect(rows).toMatchObject([
    { status: 'pending', approved_status: null, managed_status: null, sent: false },
    { status: 'running', approved_status: null, managed_status: null, sent: false },
    { status: 'completed', approved_status: null, managed_status: null, sent: false },
    { status: 'completed', approved_status: 'approved', managed_status: 'completed', sent: false },
    { status: 'completed', approved_status: 'approved', managed_status: 'completed', sent: true },
  ])
  expect(new Date(lastMs).toISOString()).toMatch(/^2026-03-27T/)
})

test.each([
  ['time', []],
  ['manual', []],
  ['reads', [2, 4]],
] as const)('with mode %s the reads that move reports are %j', (mode, moving) => {
  const progress = new ReportProgress({
    progress: { mode, reads: 2 },
    seed: '1',
    loadedMs: 0,
    clock: { worldMs: () => 0 },
  })
  const moves = [7, 5, 9].map((minutes) => minutes * 60_000)
  expect([1, 2, 3, 4, 5].filter(() => progress.countRead(1, () => moves))).toEqual(moving)
})
