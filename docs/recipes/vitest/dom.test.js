// The client of a page, in the DOM of jsdom or happy-dom. Like a browser, they let a page read another origin only with CORS.
import { setupServer } from 'msw/node'
import { handlers } from 'seo-sandbox/msw'
import { createTest } from 'seo-sandbox/vitest'
import { expect, onTestFinished } from 'vitest'

const test = createTest({ cors: location.origin })

test('a page reads the server of the test', async ({ sandbox, api }) => {
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  const { data: reports } = await getJson(`${api}/projects/101/reports`)
  expect(reports.find(({ report_number }) => report_number === 4)).toMatchObject({
    status: 'completed',
  })
})

test('MSW intercepts the requests to the origin of the page', async ({ sandbox }) => {
  const server = setupServer(...handlers(sandbox))
  server.listen()
  onTestFinished(() => server.close())
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
