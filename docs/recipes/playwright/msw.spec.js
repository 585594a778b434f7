// MSW handles the page's requests in this process, without a server.
import { defineNetworkFixture } from '@msw/playwright'
import { expect, test as base } from '@playwright/test'
import { http } from 'msw'
import { createSandbox } from 'seo-sandbox'
import { handlers } from 'seo-sandbox/msw'
import { openApp } from './app.js'

const origin = 'https://agency.example'

const test = base.extend({
  sandboxOptions: [{}, { option: true }],
  sandbox: async ({ sandboxOptions }, use) => use(await createSandbox(sandboxOptions)),
  network: [
    async ({ context, sandbox }, use) => {
      const network = defineNetworkFixture({
        context,
        handlers: handlers(sandbox, { baseUrl: origin }),
      })
      await network.enable()
      await use(network)
      await network.disable()
    },
    { auto: true },
  ],
})

test('a finished report appears, until the sandbox is reset', async ({ page, sandbox }) => {
  await sandbox.reports.complete({ project: 101, report_number: 4 })
  await openApp(page, origin)
  await expect(page.getByRole('listitem').first()).toHaveText('Report 4')

  await sandbox.reset()
  await page.reload()
  await expect(page.getByRole('listitem').first()).toHaveText('Report 3')
})

test('the change of another test is not visible here', async ({ page }) => {
  await openApp(page, origin)
  await expect(page.getByRole('listitem')).toHaveText(['Report 3', 'Report 2', 'Report 1'])
})

test('an override wins', async ({ page, network }) => {
  const path = `${origin}/api/v1/projects/:project/reports`
  network.use(http.get(path, () => new Response(null, { status: 503 })))
  await openApp(page, origin)
  await expect(page.getByRole('status')).toContainText('503')
})

test.describe('with the calendar set', () => {
  test.use({ sandboxOptions: { now: '2026-04-15T12:00:00Z' } })

  test('the page shows how old its data is', async ({ page, sandbox }) => {
    await openApp(page, origin)
    await expect(page.getByRole('status')).toHaveText('As of 2026-04-15T12:00:00.000000Z')

    await sandbox.clock.advance('PT1M')
    await page.reload()
    await expect(page.getByRole('status')).toHaveText('As of 2026-04-15T12:01:00.000000Z')
  })
})
