// The tests of an ES module. The client may be CommonJS, as here, or ESM.
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import { createClient } from './client.js'

const origin = 'https://seo.example.com'
const baseUrl = `${origin}/api/v1`
const server = setupServer()
let sandbox

beforeAll(() => server.listen())
// A sandbox for each test: nothing that one changes is seen by another.
beforeEach(async () => {
  sandbox = await createSandbox()
  server.use(...handlers(sandbox, { baseUrl: origin }))
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

describe('with a client that takes a fetch', () => {
  test('a report that is finished appears, until the sandbox is reset', async () => {
    const client = createClient({ baseUrl, token: 'sandbox-unlimited', fetch: sandbox.fetch })
    await sandbox.reports.set({ project: 101, report_number: 4 }, { status: 'completed' })
    expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])

    await sandbox.reset()
    expect(await client.finishedReports(101)).toEqual([3, 2, 1])
  })
})

describe('with MSW', () => {
  test('a report that is finished appears', async () => {
    const client = createClient({ baseUrl, token: 'sandbox-unlimited' })
    await sandbox.reports.set({ project: 101, report_number: 4 }, { status: 'completed' })
    expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])
  })

  test('what another test changed is not seen here', async () => {
    const client = createClient({ baseUrl, token: 'sandbox-unlimited' })
    expect(await client.finishedReports(101)).toEqual([3, 2, 1])
  })

  test('an override wins, and the sandbox answers the rest', async () => {
    server.use(http.get(`${baseUrl}/me`, () => new Response(null, { status: 503 })))
    const client = createClient({ baseUrl, token: 'sandbox-unlimited' })
    await expect(client.me()).rejects.toThrow('503')
    expect(await client.finishedReports(101)).toEqual([3, 2, 1])
  })
})
