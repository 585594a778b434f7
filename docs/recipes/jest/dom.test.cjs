/**
 * The client of a page, in jsdom, which like a browser lets a page read another origin only with CORS. Jest's own
 * environment for it lacks what Node has; this one adds TextEncoder, fetch and more.
 *
 * @jest-environment jest-fixed-jsdom
 */
let createSandbox, handlers, setupServer, startServer
let close

beforeAll(async () => {
  ;({ setupServer } = await import('msw/node'))
  ;({ createSandbox } = await import('seo-sandbox'))
  ;({ handlers } = await import('seo-sandbox/msw'))
  ;({ startServer } = await import('seo-sandbox/server'))
})
afterEach(() => close())

test('a page reads the server of the test', async () => {
  const server = await startServer({ port: 0, cors: location.origin })
  close = server.close
  await server.sandbox.reports.complete({ project: 101, report_number: 4 })
  const { data: reports } = await getJson(`${server.url}/api/v1/projects/101/reports`)
  expect(reports.find(({ report_number }) => report_number === 4)).toMatchObject({
    status: 'completed',
  })
})

test('MSW intercepts the requests to the origin of the page', async () => {
  const server = setupServer(...handlers(createSandbox()))
  close = () => server.close()
  server.listen()
  expect(await getJson('/api/v1/me')).toMatchObject({ name: 'Sandbox unlimited' })
})

/** As axios and jQuery do it in a page. */
function getJson(url) {
  const request = new XMLHttpRequest()
  request.open('GET', url)
  request.setRequestHeader('Authorization', 'Bearer sandbox-unlimited')
  return new Promise((resolve, reject) => {
    request.addEventListener('load', () => resolve(JSON.parse(request.responseText)))
    request.addEventListener('error', () =>
      reject(new Error(`${url} cannot be read from ${location.origin}.`)),
    )
    request.send()
  })
}
