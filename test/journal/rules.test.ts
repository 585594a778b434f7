import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { AGENCY, aReport, withReports } from '../support/worlds.ts'

/** The journal states the rule of specification 4.5 and 4.6 by which a report was selected. */
test.each([
  { path: 'latest', status: 'completed' as const, date: '2026-03-20', rule: '4.5(1)' },
  { path: 'latest', status: 'running' as const, date: '2026-03-20', rule: '4.5(2)' },
  { path: 'latest', status: 'completed' as const, date: '2026-02-20', rule: '4.5(3)' },
  { path: 'last-generated', status: 'completed' as const, date: '2026-02-20', rule: '4.6' },
  { path: 'last-generated', status: 'running' as const, date: '2026-03-20', rule: '4.6' },
  { path: '1/content', status: 'running' as const, date: '2026-03-20', rule: null },
])('$path of a $status report of $date: $rule', async ({ path, status, date, rule }) => {
  const report = aReport({ id: 1, status, date_to_create_texts: date })
  const sandbox = await createSandbox({ fixtures: withReports([report]) })
  const headers = { authorization: `Bearer ${AGENCY}` }
  const read = () => sandbox.fetch(`/api/v1/projects/1/reports/${path}`, { headers })
  // The second response is cached.
  await read()
  await read()
  await sandbox.faults.add({ kind: 'status', status: 503 })
  await read()
  expect(sandbox.requests.all().map((request) => request.rule)).toEqual([rule, rule, null])
})
