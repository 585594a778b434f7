// MSW intercepts the application's own requests, at the URL that it uses in production.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import { createClient } from './client.js'

const baseUrl = 'https://seo.example.com/api/v1'
const token = 'sandbox-unlimited'
const server = setupServer()
let sandbox

before(() => server.listen())
// A sandbox for each test, so that tests do not see each other's changes.
beforeEach(async () => {
  sandbox = await createSandbox()
  server.use(...handlers(sandbox, { baseUrl }))
})
afterEach(() => server.resetHandlers())
after(() => server.close())

test('a finished report appears', async () => {
  const client = createClient({ baseUrl, token })
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  assert.deepEqual(await client.finishedReports(101), [4, 3, 2, 1])
})

test('the change of another test is not visible here', async () => {
  const client = createClient({ baseUrl, token })
  assert.deepEqual(await client.finishedReports(101), [3, 2, 1])
})

test('an override wins, and the sandbox handles the rest', async () => {
  server.use(http.get(`${baseUrl}/me`, () => new Response(null, { status: 503 })))
  const client = createClient({ baseUrl, token })
  await assert.rejects(client.me(), /503/)
  assert.deepEqual(await client.finishedReports(101), [3, 2, 1])
})
