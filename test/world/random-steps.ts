import fc from 'fast-check'
import { vi } from 'vitest'
import { REPORT_STEP_NAMES } from '../../src/contract/report-facts.ts'
import { CommandError } from '../../src/index.ts'
import type { ClockCommand } from '../../src/world/commands/index.ts'
import type { ApiRequest } from '../../src/engine/messages.ts'
import type { Command, FixtureInput, Sandbox, Snapshot } from '../../src/index.ts'
import { aProject, aReport, aToken, aWorld } from '../support/worlds.ts'

/** A step of a sandbox: a request, a command, or time that passes on the machine. */
export type RandomStep =
  | { request: RandomRequest }
  | { command: Command }
  | { clock: ClockCommand[] }
  | { restoreEarlier: true }
  | { passMs: number }

export type RandomRequest = Omit<ApiRequest, 'header'> & { authorization?: string; accept?: string }

/** The bearer values of {@link randomWorld}, and values that commands set. */
export const VALUES = {
  limited: 'Kx81-limited-value',
  manager: 'Qp44.super.value/+=',
  spent: 'Zt07_spent_value',
  given: 'Yy55~given~value',
  other: 'Ww66!other!value',
}
export const UNKNOWN_VALUE = 'Nn77-nobodys-value'

/** A world with many variable parts: rate limits that run out, reports that progress, paged lists. */
export function randomWorld(changes: Partial<FixtureInput> = {}): FixtureInput {
  const reports = [1, 2, 3, 4].map((number) =>
    aReport({
      id: number,
      status: number < 3 ? 'completed' : 'pending',
      created_at: 'now-2d',
      date_to_create_texts: `month+0/${String(number * 7).padStart(2, '0')}`,
    }),
  )
  return aWorld({
    progress: { mode: 'reads', reads: 2 },
    tokens: [
      aToken({ id: 1, token: VALUES.manager, name: 'Manager', agency: null }),
      aToken({
        id: 2,
        token: VALUES.limited,
        name: 'Limited',
        rate_limit: { per_minute: 5, per_hour: 40 },
      }),
      aToken({ id: 3, token: VALUES.spent, name: 'Spent', rate_limit: {}, spent: 'minute' }),
    ],
    projects: [
      aProject({ id: 1, reports, keywords: [{ id: 1, keyword: 'shoes', create_date: 'now-9d' }] }),
      aProject({ id: 2, name: 'Other shoes', created_at: '2026-02-01T00:00:00Z' }),
      aProject({ id: 3, agency: 2, status: 'paused' }),
    ],
    ...changes,
  })
}

const PATHS = [
  '/me',
  '/projects',
  '/projects/1',
  '/projects/3',
  '/projects/999',
  '/projects/1001',
  '/projects/1/reports',
  '/projects/1/reports/latest',
  '/projects/1/reports/last-generated',
  '/projects/1001/reports/latest',
  '/projects/1/keywords',
  '/projects/1/reports/2',
  '/projects/1/reports/2/content',
  '/countries',
  '/languages',
  '/users',
  '/nowhere',
  '/projects/',
].map((path) => `/api/v1${path}`)

const QUERIES = [
  '',
  '',
  'page=2',
  'per_page=1',
  'search=shoes',
  'status=active',
  'page=0',
  'odd=%E2%9C%93&odd',
]

const bearer = fc.constantFrom(
  ...Object.values(VALUES),
  VALUES.limited,
  VALUES.manager,
  UNKNOWN_VALUE,
)

const authorization = fc.oneof(
  { weight: 6, arbitrary: bearer.map((value) => `Bearer ${value}`) },
  bearer.map((value) => `bearer   ${value}`),
  bearer.map((value) => `BEARER ${value} `),
  bearer.map((value) => `Token ${value}`),
  bearer,
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    `Bearer\t${VALUES.manager}`,
    'Basic dXNlcjpwYXNzd29yZA==',
  ),
)

const request: fc.Arbitrary<RandomStep> = fc.record({
  request: fc.record(
    {
      method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PURGE'),
      path: fc.constantFrom(...PATHS),
      query: fc.constantFrom(...QUERIES),
      clientIp: fc.constantFrom('127.0.0.1', '203.0.113.7', '::1'),
      origin: fc.constantFrom('http://localhost', 'https://seo.example.com:8443'),
      authorization,
      accept: fc.constantFrom('application/json', 'text/html', '*/*'),
    },
    { requiredKeys: ['method', 'path', 'query', 'clientIp', 'origin'] },
  ),
})

const schedule = fc.constantFrom(
  { share: 0.5 },
  { every: 3 },
  { times: 2 },
  { from: 'now', until: 'now+1d' },
  undefined,
)

const fault = fc
  .record({
    kind: fc.constantFrom(
      { kind: 'status', status: 503, retry_after: 4 },
      { kind: 'status', status: 503, retry_after: { date_in: 4 } },
      { kind: 'status', status: 429 },
      { kind: 'html' },
      { kind: 'reset' },
      { kind: 'latency', min_ms: 0, max_ms: 900 },
      { kind: 'slow-body', ms: 300 },
      { kind: 'truncated-body' },
      { kind: 'malformed-json' },
    ),
    schedule,
    token: fc.constantFrom(undefined, 2, VALUES.limited, 'Manager'),
  })
  .map(({ kind, schedule: when, token }) => ({
    ...kind,
    ...(when && { schedule: when }),
    ...(token !== undefined && { token }),
  }))

const record = fc.constantFrom(
  { collection: 'projects', record: aProject({ id: 1, name: 'Renamed' }) },
  { collection: 'projects', record: aProject({ id: 8, name: 'New shoes' }) },
  { collection: 'tokens', record: aToken({ id: 4, token: VALUES.given, name: 'Given' }) },
  { collection: 'tokens', record: aToken({ id: 2, token: VALUES.other, name: 'Other' }) },
  { collection: 'countries', record: { id: 5, label: 'Narnia' } },
)

const patch = fc.constantFrom(
  { collection: 'reports', id: 1, patch: { status: 'running' } },
  { collection: 'reports', id: 3, patch: { status: 'completed', created_at: 'now' } },
  { collection: 'tokens', id: 1, patch: { token: VALUES.given } },
  { collection: 'tokens', id: 2, patch: { status: 'disabled' } },
  { collection: 'tokens', id: 2, patch: { rate_limit: { per_minute: 2 } } },
  { collection: 'projects', id: 2, patch: { status: 'paused' } },
)

/** A transition of a report of {@link randomWorld}, or of a report that a step created; it may be impossible. */
const lifeStep: fc.Arbitrary<RandomStep> = fc
  .record({
    name: fc.constantFrom(...REPORT_STEP_NAMES),
    report: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(100_101, 100_202)),
  })
  .map(({ name, report }) => ({ command: { type: `report.${name}`, report } }))

const policies = fc.constantFrom(
  { 'rate-window': 'sliding' },
  { 'rate-window': 'bucket', 'reset-rounding': 'down' },
  { 'foreign-project': '403', 'error-body': 'envelope' },
  { 'data-refresh': 'stale' },
  { 'authorization-scheme': 'strict', 'missing-token': '302' },
)

/** Reports as they were stored at other times: loaded, moved by a step, stated, generated, removed. */
const restored = fc
  .constantFrom(
    { record: aReport({ id: 3 }), removed: false, stated: false, moves_from: null },
    { record: aReport({ id: 3 }), removed: false, stated: true, moves_from: null },
    {
      record: aReport({ id: 3, status: 'running' }),
      removed: false,
      stated: false,
      moves_from: '2026-03-14T12:00:00.000000Z',
    },
    { record: null, removed: false, stated: false, moves_from: null },
    { record: null, removed: true, stated: false, moves_from: null },
  )
  .map(({ record: report, ...state }) => ({
    collection: 'reports',
    id: 3,
    state: { ...state, record: report && { ...report, project: 1 } },
  }))

function commandOf(type: string, fields: fc.Arbitrary<object> = fc.constant({})) {
  return fields.map((rest) => ({ command: { type, ...rest } as Command }) satisfies RandomStep)
}

/** The types of the commands that do not begin a new session. */
export const COMMANDS_WITHIN = [
  'clock.advance',
  'clock.freeze',
  'clock.set',
  'fault.add',
  'fault.remove',
  'fault.restore',
  'fault.set',
  'fixtures.load',
  'journal.clear',
  'policy.set',
  'rate.clear',
  'record.delete',
  'record.patch',
  'record.put',
  'record.restore',
]

const command: fc.Arbitrary<RandomStep> = fc.oneof(
  commandOf(
    'clock.set',
    fc.constantFrom({ now: '2026-05-31' }, { now: 'now-1d' }, { now: 'month+1/01' }),
  ),
  commandOf(
    'clock.advance',
    fc.constantFrom({ by: 'PT30S' }, { by: 'P1M' }, { by: 61_000 }, { by: 'PT1H' }),
  ),
  commandOf('clock.freeze', fc.record({ frozen: fc.boolean() })),
  commandOf('record.put', record),
  commandOf('record.patch', patch),
  { weight: 4, arbitrary: lifeStep },
  commandOf('report.create', fc.record({ project: fc.constantFrom(1, 2, 1001) })),
  commandOf(
    'record.delete',
    fc.constantFrom(
      { collection: 'projects', id: 2 },
      { collection: 'reports', id: 4 },
      { collection: 'tokens', id: 4 },
    ),
  ),
  commandOf(
    'policy.set',
    policies.map((set) => ({ policies: set })),
  ),
  commandOf(
    'fault.add',
    fault.map((added) => ({ fault: added })),
  ),
  commandOf(
    'fault.set',
    fc.array(fault, { maxLength: 2 }).map((faults) => ({ faults })),
  ),
  {
    weight: 2,
    arbitrary: commandOf('fault.remove', fc.record({ id: fc.integer({ min: 1, max: 7 }) })),
  },
  commandOf(
    'fault.restore',
    fc.constantFrom({ matched: 3, fired: 1 }, { matched: 0, fired: 0 }).map((counts) => ({
      faults: [
        { id: 7, fault: { kind: 'status', status: 502, schedule: { every: 3 } }, ...counts },
      ],
    })),
  ),
  commandOf('record.restore', restored),
  commandOf('journal.clear'),
  commandOf('rate.clear'),
  commandOf(
    'fixtures.load',
    fc.constantFrom(
      { fixtures: randomWorld() },
      {
        fixtures: randomWorld({
          generate: { projects: 3 },
          policies: { 'foreign-project': '403' },
        }),
      },
      {
        fixtures: JSON.stringify(
          aWorld({ tokens: [aToken({ id: 9, token: VALUES.other, name: 'Nine' })] }),
        ),
      },
    ),
  ),
)

/** The commands that begin a new session. */
const beginning: fc.Arbitrary<RandomStep> = fc.oneof(
  commandOf('reset'),
  commandOf(
    'scenario.load',
    fc.constantFrom({ scenario: 'late-finisher' }, { scenario: 'nothing-there' }),
  ),
  fc.constant({ restoreEarlier: true as const }),
)

/** Commands that are applied together or not at all: the last may be out of range. */
const clock: fc.Arbitrary<RandomStep> = fc
  .constantFrom<ClockCommand[]>(
    [
      { type: 'clock.set', now: '2026-04-01' },
      { type: 'clock.advance', by: 'P1D' },
    ],
    [
      { type: 'clock.set', now: '2026-04-01' },
      { type: 'clock.advance', by: 'P9000Y' },
    ],
  )
  .map((commands) => ({ clock: commands }))

const pass: fc.Arbitrary<RandomStep> = fc.record({ passMs: fc.integer({ min: 0, max: 90_000 }) })

/** Steps within one session. */
export const withinSession: fc.Arbitrary<RandomStep> = fc.oneof(
  { weight: 14, arbitrary: request },
  { weight: 3, arbitrary: command },
  { weight: 2, arbitrary: pass },
  clock,
)

export const anything: fc.Arbitrary<RandomStep> = fc.oneof(
  { weight: 20, arbitrary: withinSession },
  { weight: 1, arbitrary: beginning },
)

/** Returns a function that applies a step to a sandbox; it returns true if a command or request was applied. */
export function createPlayer(sandbox: Sandbox): (step: RandomStep) => Promise<boolean> {
  let earlier: Snapshot | undefined
  return async (step) => {
    if ('passMs' in step) {
      vi.setSystemTime(Date.now() + step.passMs)
      return false
    }
    if ('request' in step) {
      sandbox.answer(toApiRequest(step.request))
      return true
    }
    if ('command' in step) return isApplied(() => sandbox.command(step.command))
    if ('clock' in step) return isApplied(() => sandbox.world.moveClock(step.clock))
    const snapshot = earlier ?? (await sandbox.snapshot())
    earlier = await sandbox.snapshot()
    return isApplied(() => sandbox.restore(snapshot))
  }
}

export function toApiRequest({ authorization: sent, accept, ...rest }: RandomRequest): ApiRequest {
  const headers = new Map([
    ['authorization', sent],
    ['accept', accept],
  ])
  return { ...rest, header: (name) => headers.get(name) }
}

/** Commands may be refused, because they are drawn without regard to the world. */
async function isApplied(apply: () => Promise<unknown>): Promise<boolean> {
  try {
    await apply()
    return true
  } catch (error) {
    if (error instanceof CommandError) return false
    throw error
  }
}
