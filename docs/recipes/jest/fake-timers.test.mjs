// Jest's fake timers replace Date, and so move both clocks of the sandbox. They replace nextTick,
// queueMicrotask and setImmediate as well; no response of the sandbox waits for any of them.
import { jest } from '@jest/globals'
import { setupServer } from 'msw/node'
import { createSandbox } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import { startServer } from 'seo-sandbox/server'
import { createClient } from './client.js'

const baseUrl = 'https://seo.example.com/api/v1'
const token = 'sandbox-agency' // 60 requests a minute

/** Each starts a sandbox: returns the client's options, and `close` where needed. */
const ways = {
  'sandbox.fetch': async () => {
    const { fetch } = await createSandbox()
    return { baseUrl: 'https://any.host/api/v1', fetch }
  },
  MSW: async () => {
    const server = setupServer(...handlers(createSandbox(), { baseUrl }))
    server.listen()
    return { baseUrl, close: () => server.close() }
  },
  HTTP: async () => {
    const { url, close } = await startServer({ port: 0 })
    return { baseUrl: `${url}/api/v1`, close }
  },
}

describe.each(Object.entries(ways))('by %s', (way, start) => {
  // msw 3, unlike msw 2, completes its responses on process.nextTick.
  const doNotFake = way === 'MSW' ? ['nextTick'] : []
  let options

  beforeEach(async () => {
    // Before the sandbox is created, so that its world starts on that day too.
    jest.useFakeTimers({ now: new Date('2026-04-15T12:00:00Z'), doNotFake })
    options = { ...(await start()), token }
  })
  afterEach(async () => {
    await options.close?.()
    jest.useRealTimers()
  })

  test('the data is refreshed after a minute', async () => {
    const client = createClient(options)
    expect(await client.refreshedAt()).toBe('2026-04-15T12:00:00.000000Z')

    jest.advanceTimersByTime(60_000)
    expect(await client.refreshedAt()).toBe('2026-04-15T12:01:00.000000Z')
  })

  test('a rate-limited client continues after a minute', async () => {
    const { client, paused } = createPausingClient(options)
    await Promise.all(Array.from({ length: 60 }, () => client.me()))
    const reports = client.finishedReports(101)
    expect(await paused).toBe(60)

    await jest.advanceTimersByTimeAsync(60_000)
    expect(await reports).toEqual([3, 2, 1])
  })
})

test('a response that takes half a minute', async () => {
  jest.useFakeTimers()
  const { fetch } = await createSandbox({ latency: 30_000, delays: 'timers' })
  const refreshed = createClient({ baseUrl: 'https://any.host/api/v1', fetch, token }).refreshedAt()

  await jest.advanceTimersByTimeAsync(30_000)
  expect(await refreshed).toMatch(/^20/)
  jest.useRealTimers()
})

/** A client, and a promise of the seconds of its first wait. */
function createPausingClient(options) {
  let client
  const paused = new Promise((onPause) => {
    client = createClient({ ...options, onPause })
  })
  return { client, paused }
}
