// The tests of a CommonJS project. seo-sandbox and parts of msw are ESM only, so a CommonJS file imports
// them inside a function.
const { createClient } = require('./client.js')

const baseUrl = 'https://seo.example.com/api/v1'
const token = 'sandbox-unlimited'
let http, setupServer, createSandbox, handlers
let sandbox, server

beforeAll(async () => {
  ;({ http } = await import('msw'))
  ;({ setupServer } = await import('msw/node'))
  ;({ createSandbox } = await import('seo-sandbox'))
  ;({ handlers } = await import('seo-sandbox/msw'))
  server = setupServer()
  server.listen()
})
beforeEach(async () => {
  sandbox = await createSandbox()
  server.use(...handlers(sandbox, { baseUrl }))
})
afterEach(() => {
  server.resetHandlers()
  jest.useRealTimers()
})
afterAll(() => server.close())

test('a client that takes a fetch needs no MSW', async () => {
  const client = createClient({ baseUrl, token, fetch: sandbox.fetch })
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])

  await sandbox.reset()
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])
})

test('MSW intercepts the requests of any other client', async () => {
  const client = createClient({ baseUrl, token })
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  expect(await client.finishedReports(101)).toEqual([4, 3, 2, 1])
})

test('the change of another test is not visible here', async () => {
  const client = createClient({ baseUrl, token })
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])
})

test('an override wins, and the sandbox handles the rest', async () => {
  server.use(http.get(`${baseUrl}/me`, () => new Response(null, { status: 503 })))
  const client = createClient({ baseUrl, token })
  await expect(client.me()).rejects.toThrow('503')
  expect(await client.finishedReports(101)).toEqual([3, 2, 1])
})

test('fake timers move the clocks of the sandbox', async () => {
  // msw 3, unlike msw 2, completes its responses on process.nextTick.
  jest.useFakeTimers({ now: new Date('2026-04-15T12:00:00Z'), doNotFake: ['nextTick'] })
  const client = createClient({ baseUrl, token })
  expect(await client.refreshedAt()).toBe('2026-04-15T12:00:00.000000Z')

  jest.advanceTimersByTime(60_000)
  expect(await client.refreshedAt()).toBe('2026-04-15T12:01:00.000000Z')
})
