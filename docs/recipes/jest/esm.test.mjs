// The tests of an ES module. The client can be CommonJS, as here, or ESM.
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import { createClient } from './client.js'

const baseUrl = 'https://seo.example.com/api/v1'
const server = setupServer()
let sandbox

beforeAll(() => server.listen())
// A sandbox for each test, so that tests do not see each other's changes.
beforeEach(async () => {
  sandbox = await createSandbox()
  server.use(...handlers(sandbox, { baseUrl }))
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

describe('with a client that takes a fetch', () => {
  test('a finished report appears, until the sandbox is reset', async () => {
    const client = createClient({ baseUrl, token: 'sandbox-unlimited', fetch: sandbox.fetch })
    await sandbox.reports.complete({ project: 101, report_number: 4 })
    expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])

    await sandbox.reset()
    expect(await client.finishedReports(101)).toEqual([3, 2, 1])
  })
})

describe('with MSW', () => {
  test('a finished report appears', async () => {
    const client = createClient({ baseUrl, token: 'sandbox-unlimited' })
    await sandbox.reports.complete({ project: 101, report_number: 4 })
    expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])
  })

  test('the change of another test is not visible here', async () => {
    const client = createClient({ baseUrl, token: 'sandbox-unlimited' })
    expect(await client.finishedReports(101)).toEqual([3, 2, 1])
  })

  test('an override wins, and the sandbox handles the rest', async () => {
    server.use(http.get(`${baseUrl}/me`, () => new Response(null, { status: 503 })))
    const client = createClient({ baseUrl, token: 'sandbox-unlimited' })
    await expect(client.me()).rejects.toThrow('503')
    expect(await client.finishedReports(101)).toEqual([3, 2, 1])
  })
})
