// The page's requests go to the test's own server, on a free port.
import { expect, test as base } from '@playwright/test'
import { startServer } from 'seo-sandbox/server'
import { openApp } from './app.js'

const test = base.extend({
  serverOptions: [{}, { option: true }],
  server: async ({ serverOptions }, use) => {
    const server = await startServer({ ...serverOptions, port: 0 })
    await use(server)
    await server.close()
  },
})

test('a finished report appears', async ({ page, server }) => {
  const { url, sandbox } = server
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  await openApp(page, url)
  await expect(page.getByRole('listitem').first()).toHaveText('Report 4')
})

// page.clock moves only the page. The sandbox runs in this process, and is moved separately.
test('a rate-limited page continues after a minute', async ({ page, server }) => {
  const { url, sandbox } = server
  const headers = { authorization: 'Bearer sandbox-agency' }
  await Promise.all(Array.from({ length: 60 }, () => sandbox.fetch('/api/v1/me', { headers })))
  await page.clock.install()
  await openApp(page, url)
  await expect(page.getByRole('status')).toContainText('Waiting for')
  await expect(page.getByRole('listitem')).toHaveCount(0)

  // The sandbox first, because the page retries as soon as its own wait is over.
  await sandbox.clock.advance('PT1M')
  await page.clock.runFor('01:00')
  await expect(page.getByRole('listitem')).toHaveCount(3)
})

test.describe('from a page of another origin', () => {
  const origin = 'http://app.localhost'
  test.use({
    serverOptions: { cors: origin },
    // Chromium asks for permission before a page served by page.route calls a server on this machine. A
    // page from a server on this machine, such as a development server, needs no permission.
    permissions: ['local-network-access'],
  })

  test('the API is accessible if the cors option names that origin', async ({ page, server }) => {
    await openApp(page, origin, `?api=${server.url}/api/v1`)
    await expect(page.getByRole('listitem')).toHaveText(['Report 3', 'Report 2', 'Report 1'])
  })
})
