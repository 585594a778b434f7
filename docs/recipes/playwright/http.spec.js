// The page's requests go to a server of the test's own, on a free port.
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

test('a report that is finished appears', async ({ page, server }) => {
  const { url, sandbox } = server
  await sandbox.reports.set({ project: 101, report_number: 4 }, { status: 'completed' })
  await openApp(page, url)
  await expect(page.getByRole('listitem').first()).toHaveText('Report 4')
})

// page.clock moves the page alone. The sandbox lives in this process, and is moved beside it.
test('a page out of requests goes on when its minute is over', async ({ page, server }) => {
  const { url, sandbox } = server
  const headers = { authorization: 'Bearer sandbox-agency' }
  await Promise.all(Array.from({ length: 60 }, () => sandbox.fetch('/api/v1/me', { headers })))
  await page.clock.install()
  await openApp(page, url)
  await expect(page.getByRole('status')).toContainText('Waiting for')
  await expect(page.getByRole('listitem')).toHaveCount(0)

  // The sandbox first: the page asks again as soon as its own time has come.
  await sandbox.clock.advance('PT1M')
  await page.clock.runFor('01:00')
  await expect(page.getByRole('listitem')).toHaveCount(3)
})

test.describe('from a page of another origin', () => {
  const origin = 'http://app.localhost'
  test.use({
    serverOptions: { cors: origin },
    // Chromium asks before a page that page.route served calls a server on this machine. A page that
    // comes from a server on this machine, as one in development does, needs no permission.
    permissions: ['local-network-access'],
  })

  test('the API answers where the cors option names that origin', async ({ page, server }) => {
    await openApp(page, origin, `?api=${server.url}/api/v1`)
    await expect(page.getByRole('listitem')).toHaveText(['Report 3', 'Report 2', 'Report 1'])
  })
})
