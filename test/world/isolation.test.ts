import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { FixtureInput, Sandbox } from '../../src/index.ts'
import { MSWS } from '../support/msw.ts'
import { aProject, aToken, aWorld } from '../support/worlds.ts'

/** Sandboxes that are used at the same time share no record, clock or budget. */

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
  return aWorld({
    frozen: index % 2 === 0,
    tokens: [
      aToken({ id: 1, token: LIMITED, rate_limit: { per_minute: 1 + (index % 4), per_hour: 9 } }),
    ],
    projects: [aProject({ id: 1, name: `First of ${index}` })],
  })
}

/** Sends requests to the sandbox of a test; `Symbol.dispose` releases its resources. */
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

    /**
     * Runs one test: returns the name and day that it reads, the statuses until its budget is spent, and those after a reset.
     */
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

/** The project's name, the time of its data, and the rest of the budget. */
async function read(response: Response): Promise<unknown[]> {
  const body = (await response.json()) as { data: { name: string }; cache_refreshed_at: string }
  return [body.data.name, body.cache_refreshed_at, response.headers.get('x-ratelimit-remaining')]
}
