import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { AGENCY, aReport, withReports } from '../support/worlds.ts'

/** G-086: how reports progress with the world clock. */

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
