import FakeTimers from '@sinonjs/fake-timers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { startServer } from '../../src/server.ts'
import { createTest } from '../../src/vitest.ts'
import { MSWS } from '../support/msw.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

/** Delays that follow the clock of a test: `delays: 'timers'` (docs/faults.md). */

const headers = { authorization: `Bearer ${AGENCY}` }
const LATENCY_MS = 30_000
const DAY_MS = 86_400_000

/** Fake timers, each installed until the test ends; each returns a function that advances them. */
const TIMERS: Record<string, () => (ms: number) => Promise<unknown>> = {
  Vitest: () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    return (ms) => vi.advanceTimersByTimeAsync(ms)
  },
  Sinon: () => {
    const clock = FakeTimers.install({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    onTestFinished(() => clock.uninstall())
    return (ms) => clock.tickAsync(ms)
  },
}

type Get = (path: string, init?: RequestInit) => Promise<Response>

/** Ways to reach a sandbox with these options, until the test ends. */
const REACHES: Record<
  string,
  (options: SandboxOptions) => Promise<{ sandbox: Sandbox; get: Get }>
> = {
  'sandbox.fetch': async (options) => {
    const sandbox = await createSandbox(options)
    return { sandbox, get: (path, init) => sandbox.fetch(path, { headers, ...init }) }
  },
  HTTP: async (options) => {
    const { sandbox, url, close } = await startServer({ port: 0, ...options })
    onTestFinished(close)
    return { sandbox, get: (path, init) => fetch(`${url}${path}`, { headers, ...init }) }
  },
  ...Object.fromEntries(
    MSWS.map(({ name, intercept, handlers }) => [
      name,
      async (options: SandboxOptions) => {
        const sandbox = await createSandbox(options)
        const baseUrl = 'https://seo.example.com'
        const server = intercept(handlers(sandbox, { baseUrl }))
        onTestFinished(() => server.close())
        const get: Get = (path, init) => fetch(`${baseUrl}${path}`, { headers, ...init })
        return { sandbox, get }
      },
    ]),
  ),
  'an isolated world': async (options) => {
    const { worlds, fetch } = await createSandbox(options)
    const { sandbox, tokens } = await worlds.create()
    const own = { authorization: `Bearer ${tokens[AGENCY]}` }
    return { sandbox, get: (path, init) => fetch(path, { headers: own, ...init }) }
  },
}

/** Sends a request, which has arrived when this resolves, and may be held back. */
async function send({ sandbox, get }: { sandbox: Sandbox; get: Get }, init?: RequestInit) {
  const arrived = new Promise((resolve) => sandbox.requests.follow(resolve))
  const sent = { isSettled: false }
  const text = get('/api/v1/me', init).then((response) => response.text())
  const settled = (): void => void (sent.isSettled = true)
  text.then(settled, settled)
  await arrived
  return Object.assign(sent, { text })
}

describe.each(Object.keys(TIMERS))("with the fake timers of %s and delays: 'timers'", (timers) => {
  describe.each(Object.keys(REACHES))('by %s', (reach) => {
    const start = async (options: SandboxOptions = {}) => {
      const reached = await REACHES[reach]!({ fixtures: aWorld(), delays: 'timers', ...options })
      return { ...reached, advance: TIMERS[timers]!() }
    }

    test.each<[string, SandboxOptions, Parameters<Sandbox['faults']['add']>[0]?]>([
      ['the option latency', { latency: LATENCY_MS }],
      ['a latency', {}, { kind: 'latency', ms: LATENCY_MS }],
      ['a slow body', {}, { kind: 'slow-body', ms: LATENCY_MS }],
    ])('%s of 30 s ends when the test advances by 30 s', async (_, options, fault) => {
      const { advance, ...reached } = await start(options)
      if (fault) await reached.sandbox.faults.add(fault)
      const sent = await send(reached)
      await advance(LATENCY_MS - 1)
      expect(sent.isSettled).toBe(false)
      await advance(1)
      expect(await sent.text).toContain('"id":1')
    })

    test('a response that never arrives does not arrive in a day either', async () => {
      const { advance, ...reached } = await start()
      await reached.sandbox.faults.add({ kind: 'no-answer' })
      const leaving = new AbortController()
      const sent = await send(reached, { signal: leaving.signal })
      await advance(DAY_MS)
      expect(sent.isSettled).toBe(false)
      leaving.abort()
      await expect(sent.text).rejects.toThrow('abort')
    })
  })
})

test.each([
  { kind: 'latency', ms: LATENCY_MS },
  { kind: 'slow-body', ms: LATENCY_MS },
] as const)('a client that aborts in a $kind clears its fake timer', async (fault) => {
  const sandbox = await createSandbox({ fixtures: aWorld(), delays: 'timers' })
  await sandbox.faults.add(fault)
  TIMERS['Vitest']!()
  const leaving = new AbortController()
  const text = sandbox
    .fetch('/api/v1/me', { headers, signal: leaving.signal })
    .then((response) => response.text())
  await vi.waitUntil(() => vi.getTimerCount() === 1)
  leaving.abort()
  await expect(text).rejects.toThrow('abort')
  expect(vi.getTimerCount()).toBe(0)
})

describe('the fixture of Vitest', () => {
  const own = createTest({ fixtures: aWorld(), latency: LATENCY_MS, delays: 'timers' })

  own('follows the timers of its test', async ({ sandbox, api }) => {
    const get: Get = (_, init) => fetch(`${api}/me`, { headers, ...init })
    const advance = TIMERS['Vitest']!()
    const sent = await send({ sandbox, get })
    await advance(LATENCY_MS)
    expect(await sent.text).toContain('"id":1')
  })
})

test.each<['real' | undefined]>([['real'], [undefined]])(
  'with delays: %s a latency takes real time',
  async (delays) => {
    const sandbox = await createSandbox({ latency: 5, ...(delays && { delays }) })
    TIMERS['Vitest']!()
    await sandbox.fetch('/api/v1/me')
    expect(vi.getTimerCount()).toBe(0)
  },
)

test.each(['fake', true, 30_000])('delays: %j is refused', async (delays) => {
  const message = `delays: ${JSON.stringify(delays)} is not a kind of timer: use real or timers.`
  await expect(createSandbox({ delays } as object)).rejects.toThrow(message)
  await expect(startServer({ port: 0, delays } as object)).rejects.toThrow(message)
})
