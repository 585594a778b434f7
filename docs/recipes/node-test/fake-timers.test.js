// Mock timers that include Date move both clocks of the sandbox. No response waits for a timer.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
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

for (const [way, start] of Object.entries(ways)) {
  describe(`by ${way}`, () => {
    let options

    beforeEach(async () => {
      // Before the sandbox is created, so that its world starts on that day too.
      mock.timers.enable({
        apis: ['Date', 'setTimeout', 'setInterval'],
        now: new Date('2026-04-15T12:00:00Z'),
      })
      options = { ...(await start()), token }
    })
    afterEach(async () => {
      await options.close?.()
      mock.timers.reset()
    })

    test('the data is refreshed after a minute', async () => {
      const client = createClient(options)
      assert.equal(await client.refreshedAt(), '2026-04-15T12:00:00.000000Z')

      mock.timers.tick(60_000)
      assert.equal(await client.refreshedAt(), '2026-04-15T12:01:00.000000Z')
    })

    test('a rate-limited client continues after a minute', async () => {
      const { client, paused } = createPausingClient(options)
      await Promise.all(Array.from({ length: 60 }, () => client.me()))
      const reports = client.finishedReports(101)
      assert.equal(await paused, 60)

      mock.timers.tick(60_000)
      assert.deepEqual(await reports, [3, 2, 1])
    })
  })
}

/** A client, and a promise of the seconds of its first wait. */
function createPausingClient(options) {
  let client
  const paused = new Promise((onPause) => {
    client = createClient({ ...options, onPause })
  })
  return { client, paused }
}
