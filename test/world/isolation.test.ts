import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Command, FixtureInput, PolicySettings, Sandbox } from '../../src/index.ts'
import { MSWS } from '../support/msw.ts'
import { openFetch } from '../support/transports.ts'
import type { Client, TestRequest } from '../support/transports.ts'
import { AGENCY, aProject, aReport, aToken, aWorld } from '../support/worlds.ts'
import { runs } from '../support/depth.ts'

/** Sandboxes in one process share no record, clock or budget. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-15T12:00:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const COUNT = 50
const INDEXES = Array.from({ length: COUNT }, (_, index) => index)

const LIMITED = 'limited-token'

/** The world of one sandbox: ids and tokens are the same everywhere, so that shared state shows. */
function worldOf(index: number): FixtureInput {
  const report = aReport({ id: 11, date_to_create_texts: `2026-03-${10 + (index % 20)}` })
  return aWorld({
    frozen: index % 2 === 0,
    tokens: [
      aToken({ id: 1, token: AGENCY }),
      aToken({ id: 2, token: LIMITED, rate_limit: { per_minute: 1 + (index % 4), per_hour: 9 } }),
    ],
    projects: [
      aProject({ id: 1, name: `First of ${index}`, reports: [report, aReport({ id: 12 })] }),
      aProject({ id: 2, name: `Second of ${index}`, created_at: '2026-02-01T00:00:00Z' }),
      aProject({ id: 3, name: `Foreign to ${index}`, agency: 2 }),
    ],
  })
}

/** The policies of one sandbox: they rotate with the index, each with a different period. */
function policiesOf(index: number): PolicySettings {
  return {
    'rate-window': pick(index, ['fixed', 'sliding', 'bucket', 'clock-aligned']),
    'data-refresh': pick(index, ['fresh', 'fresh', 'stale']),
    'foreign-project': pick(index, ['404', '403']),
    'error-body': pick(index, ['message', 'envelope', 'html', 'message', 'message']),
    'project-order': pick(index, ['id', 'name', 'created', 'id', 'name', 'id', 'id']),
  }
}

function pick<Value>(index: number, values: [Value, ...Value[]]): Value {
  return values[index % values.length] ?? values[0]
}

function openNth(index: number): Promise<Client> {
  return openFetch({ fixtures: worldOf(index), policies: policiesOf(index) })
}

type Step = { request: TestRequest } | { command: Command }

const aRequest: fc.Arbitrary<Step> = fc.record({
  request: fc.record({
    token: fc.constantFrom(AGENCY, LIMITED, LIMITED, LIMITED, undefined),
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
    path: fc.constantFrom(
      '/me',
      '/projects',
      '/projects?per_page=1&page=2',
      '/projects?search=patched',
      '/projects?unknown=1',
      '/projects/1',
      '/projects/2',
      '/projects/3',
      '/projects/1/reports',
      '/projects/1/reports/latest',
      '/projects/1/reports/11/content',
      '/unknown',
    ),
  }),
})

const aCommand: fc.Arbitrary<Step> = fc.record({
  command: fc.oneof(
    fc.record({
      type: fc.constant('record.patch' as const),
      collection: fc.constant('projects' as const),
      id: fc.constantFrom(1, 2, 3),
      patch: fc.record({ name: fc.nat(999).map((number) => `patched ${number}`) }),
    }),
    fc.record({
      type: fc.constant('record.patch' as const),
      collection: fc.constant('reports' as const),
      id: fc.constantFrom(11, 12),
      patch: fc.record({ status: fc.constantFrom('pending', 'running', 'completed', 'failed') }),
    }),
    fc.record({
      type: fc.constant('record.delete' as const),
      collection: fc.constantFrom('projects' as const, 'reports' as const),
      id: fc.constantFrom(2, 12),
    }),
    fc.record({
      type: fc.constant('clock.advance' as const),
      by: fc.constantFrom('PT20S', 'PT61S', 'PT1H', 'P1D', 'P1M', 1),
    }),
    fc.record({
      type: fc.constant('clock.set' as const),
      now: fc.constantFrom('2026-03-01', '2026-04-10T08:00:00Z', 'now-3d', 'month+1/01'),
    }),
    fc.record({ type: fc.constant('clock.freeze' as const), frozen: fc.boolean() }),
    fc.record({ type: fc.constant('reset' as const) }),
  ),
})

/** Steps of all sandboxes, in order. */
const aSession = fc.array(
  fc.record({
    of: fc.nat(COUNT - 1),
    step: fc.oneof({ weight: 3, arbitrary: aRequest }, { weight: 1, arbitrary: aCommand }),
  }),
  { maxLength: 20 * COUNT, size: 'max' },
)

/** What a client sees of a step: status, headers and body, or the result of a command. */
async function take({ sandbox, send }: Client, step: Step): Promise<unknown> {
  if ('command' in step) {
    return sandbox.command(step.command).catch((error: unknown) => String(error))
  }
  const { status, headers, text } = await send(step.request)
  return [status, headers, text]
}

async function takeAll(client: Client, steps: readonly Step[]): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const step of steps) seen.push(await take(client, step))
  return seen
}

describe('fifty sandboxes in one process', () => {
  test('respond to any interleaving of steps as each responds to its own steps alone', async () => {
    await fc.assert(
      fc.asyncProperty(aSession, async (session) => {
        const clients = await Promise.all(INDEXES.map(openNth))
        const seen: unknown[][] = INDEXES.map(() => [])
        for (const { of, step } of session) {
          const client = clients[of]
          if (client) seen[of]?.push(await take(client, step))
        }
        expect(seen).toEqual(await seenAlone(session))
      }),
      { numRuns: runs(10) },
    )
  })

  test('respond to concurrent steps as each responds to its own steps alone', async () => {
    await fc.assert(
      fc.asyncProperty(aSession, async (session) => {
        const clients = await Promise.all(INDEXES.map(openNth))
        const seen = await Promise.all(
          clients.map((client, index) => takeAll(client, stepsOf(session, index))),
        )
        expect(seen).toEqual(await seenAlone(session))
      }),
      { numRuns: runs(10) },
    )
  })
})

type Session = { of: number; step: Step }[]

function stepsOf(session: Session, index: number): Step[] {
  return session.filter(({ of }) => of === index).map(({ step }) => step)
}

/** The responses of each sandbox when no other one is active. */
async function seenAlone(session: Session): Promise<unknown[][]> {
  const seen: unknown[][] = []
  for (const index of INDEXES) {
    const steps = stepsOf(session, index)
    seen.push(steps.length === 0 ? [] : await takeAll(await openNth(index), steps))
  }
  return seen
}

/** Sends requests to the sandbox of a test; `Symbol.dispose` releases what that needs. */
type Reach = (sandboxes: Sandbox[]) => Disposable & {
  get: (index: number, path: string) => Promise<Response>
}

const headers = { authorization: `Bearer ${LIMITED}` }

const REACHES: [name: string, reach: Reach][] = [
  [
    'sandbox.fetch',
    (sandboxes) => ({
      get: (index, path) => (sandboxes[index]?.fetch ?? fetch)(path, { headers }),
      [Symbol.dispose]: () => undefined,
    }),
  ],
  ...MSWS.map((msw): [string, Reach] => [
    msw.name,
    (sandboxes) => {
      const baseUrl = (index: number): string => `https://test-${index}.example`
      const server = msw.intercept(
        sandboxes.flatMap((sandbox, index) => msw.handlers(sandbox, { baseUrl: baseUrl(index) })),
      )
      return {
        get: (index, path) => fetch(`${baseUrl(index)}${path}`, { headers }),
        [Symbol.dispose]: () => server.close(),
      }
    },
  ]),
]

describe.each(REACHES)('fifty concurrent tests over %s', (_, reach) => {
  test('each see their own records, clock and budget', async () => {
    const sandboxes = await Promise.all(
      INDEXES.map((index) => createSandbox({ fixtures: worldOf(index) })),
    )
    using api = reach(sandboxes)

    /** One test: the name and day that it reads, the statuses until its budget is spent, and those after a reset. */
    const run = async (sandbox: Sandbox, index: number): Promise<unknown[]> => {
      const patch = { name: `Changed by ${index}` }
      await sandbox.command({ type: 'record.patch', collection: 'projects', id: 1, patch })
      await sandbox.clock.set(`2027-01-01T00:${String(index).padStart(2, '0')}:00Z`)
      const changed = await read(await api.get(index, '/api/v1/projects/1'))
      const statuses: number[] = []
      while (statuses.at(-1) !== 429) statuses.push((await api.get(index, '/api/v1/me')).status)
      if (index % 2 === 1) await sandbox.clock.advance('PT60S')
      const later = (await api.get(index, '/api/v1/me')).status
      await sandbox.reset()
      const restored = await read(await api.get(index, '/api/v1/projects/1'))
      return [...changed, statuses.length, later, ...restored]
    }

    expect(await Promise.all(sandboxes.map(run))).toEqual(
      INDEXES.map((index) => {
        const limit = 1 + (index % 4)
        const minute = String(index).padStart(2, '0')
        const left = String(limit - 1)
        const changed = [`Changed by ${index}`, `2027-01-01T00:${minute}:00.000000Z`, left]
        const restored = [`First of ${index}`, '2026-03-15T12:00:00.000000Z', left]
        return [...changed, limit, index % 2 === 1 ? 200 : 429, ...restored]
      }),
    )
  })
})

/** The project's name, the time of its data, and what is left of the budget. */
async function read(response: Response): Promise<unknown[]> {
  const body = (await response.json()) as { data: { name: string }; cache_refreshed_at: string }
  return [body.data.name, body.cache_refreshed_at, response.headers.get('x-ratelimit-remaining')]
}
