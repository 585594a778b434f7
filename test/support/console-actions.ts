import type { RecordedAction } from '../../src/console/code/test-steps.ts'

const clocks = { worldMs: Date.parse('2026-03-31T23:59:00Z'), rateMs: 0, isFrozen: true }

const ME = { path: '/api/v1/me', token: 'sandbox-agency' }

/** Recorded actions in the console, of every kind that is written in a way of its own. */
export const ACTIONS: RecordedAction[] = (
  [
    {
      kind: 'request',
      sentence: 'Asked for the latest report',
      request: { path: '/api/v1/projects/101/reports/latest', token: 'sandbox-agency' },
      status: 200,
    },
    {
      kind: 'command',
      sentence: 'Advanced both clocks by a day',
      command: { type: 'clock.advance', by: 'P1D' },
    },
    {
      kind: 'command',
      sentence: 'Completed report 4 of project 101',
      command: { type: 'report.complete', report: 510104 },
      result: { id: 510104, project: 101, report_number: 4, status: 'completed' },
    },
    {
      kind: 'command',
      sentence: 'Armed a fault: status 503',
      command: { type: 'fault.add', fault: { kind: 'status', status: 503 } },
      result: { id: 7 },
    },
    { kind: 'request', sentence: 'Asked who the token is', request: ME, status: 503 },
    {
      kind: 'command',
      sentence: 'Disarmed fault 7: status 503',
      command: { type: 'fault.remove', id: 7 },
    },
    {
      kind: 'request',
      sentence: 'Sent requests until one got a 429',
      request: ME,
      status: 429,
      times: 61,
    },
    {
      kind: 'command',
      sentence: 'Advanced both clocks by 12 s, what was left of the minute',
      command: { type: 'clock.advance', by: 'PT12S' },
    },
    { kind: 'request', sentence: 'Asked when it works again', request: ME, status: 200 },
    {
      kind: 'request',
      sentence: 'Asked without a method that it has',
      request: { ...ME, method: 'POST', headers: { accept: 'application/json' } },
      status: 405,
    },
    { kind: 'request', sentence: 'Asked as nobody', request: { path: ME.path }, status: 401 },
  ] as const
).map((action, index) => ({ ...action, id: index + 1, clocks, world: 'default', origin: null }))
