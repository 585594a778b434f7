// Fake timers replace Date, and so move both clocks of the sandbox. No response waits for a timer, except delays with
// the option `delays: 'timers'`.
import { setupServer } from 'msw/node'
import { createSandbox } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import { test } from 'seo-sandbox/vitest'
import { afterEach, beforeEach, describe, expect, onTestFinished, vi } from 'vitest'
import { createClient } from './client.js'

const baseUrl = 'https://seo.example.com/api/v1'
const token = 'sandbox-agency' // 60 requests a minute

// Before the sandbox is created, so that its world starts on that day too.
beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-04-15T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

/** Each way to reach the sandbox, as client options. */
const ways = {
  'sandbox.fetch': ({ sandbox }) => ({
    baseUrl: 'https://any.host/api/v1',
    fetch: sandbox.fetch,
  }),
  MSW: ({ sandbox }) => {
    const server = setupServer(...handlers(sandbox, { baseUrl }))
    server.listen()
    onTestFinished(() => server.close())
    return { baseUrl }
  },
  HTTP: ({ api }) => ({ baseUrl: api }),
}

describe.each(Object.entries(ways))('by %s', (_, reach) => {
  test('the data is refreshed after a minute', async ({ sandbox, api }) => {
    const client = createClient({ ...reach({ sandbox, api }), token })
    expect(await client.refreshedAt()).toBe('2026-04-15T12:00:00.000000Z')

    vi.advanceTimersByTime(60_000)
    expect(await client.refreshedAt()).toBe('2026-04-15T12:01:00.000000Z')
  })

  test('a rate-limited client continues after a minute', async ({ sandbox, api }) => {
    const { client, paused } = createPausingClient({ ...reach({ sandbox, api }), token })
    await Promise.all(Array.from({ length: 60 }, () => client.me()))
    const reports = client.finishedReports(101)
    expect(await paused).toBe(60)

    await vi.advanceTimersByTimeAsync(60_000)
    expect(await reports).toEqual([3, 2, 1])
  })
})

test('a response that takes half a minute', async () => {
  const { fetch } = await createSandbox({ latency: 30_000, delays: 'timers' })
  const refreshed = createClient({ baseUrl: 'https://any.host/api/v1', fetch, token }).refreshedAt()

  await vi.advanceTimersByTimeAsync(30_000)
  expect(await refreshed).toMatch(/^20/)
})

/** A client, and a promise of the seconds of its first wait. */
function createPausingClient(options) {
  let client
  const paused = new Promise((onPause) => {
    client = createClient({ ...options, onPause })
  })
  return { client, paused }
}
