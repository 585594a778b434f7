// MSW intercepts for the whole process; within `server.boundary` a test has handlers of its own.
import { setupServer } from 'msw/node'
import { handlers } from 'seo-sandbox/msw'
import { test } from 'seo-sandbox/vitest'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { createClient } from './client.js'

const baseUrl = 'https://seo.example.com/api/v1'
const token = 'sandbox-unlimited'
const server = setupServer()

beforeAll(() => server.listen())
afterAll(() => server.close())

/** Runs a test with the handlers of its own sandbox. */
function within(sandbox, run) {
  return server.boundary(() => {
    server.use(...handlers(sandbox, { baseUrl }))
    return run()
  })()
}

describe.concurrent('at the same time', () => {
  test('a finished report appears', async ({ sandbox }) => {
    await within(sandbox, async () => {
      const client = createClient({ baseUrl, token })
      await sandbox.reports.complete({ project: 101, report_number: 4 })
      expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])
    })
  })

  test('the change of another test is not visible here', async ({ sandbox }) => {
    await within(sandbox, async () => {
      const client = createClient({ baseUrl, token })
      expect(await client.finishedReports(101)).toEqual([3, 2, 1])
    })
  })
})
