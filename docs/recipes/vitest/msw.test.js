// MSW intercepts the application's own requests, at the URL that it uses in production.
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { handlers } from 'seo-sandbox/msw'
import { test as base } from 'seo-sandbox/vitest'
import { expect } from 'vitest'
import { createClient } from './client.js'

const baseUrl = 'https://seo.example.com/api/v1'
const token = 'sandbox-unlimited'

const test = base.extend({
  // `auto`: also for tests that do not use it by name.
  server: [
    async ({ sandbox }, use) => {
      const server = setupServer(...handlers(sandbox, { baseUrl }))
      server.listen()
      await use(server)
      server.close()
    },
    { auto: true },
  ],
})

test('the sandbox handles the requests', async ({ sandbox }) => {
  const client = createClient({ baseUrl, token })
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])
})

test('the change of another test is not visible here', async () => {
  const client = createClient({ baseUrl, token })
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])
})

test('an override wins, and the sandbox handles the rest', async ({ server }) => {
  server.use(http.get(`${baseUrl}/me`, () => new Response(null, { status: 503 })))
  const client = createClient({ baseUrl, token })
  await expect(client.me()).rejects.toThrow('503')
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])

  server.resetHandlers()
  expect(await client.me()).toMatchObject({ name: 'Sandbox unlimited' })
})
