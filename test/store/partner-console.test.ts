import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { findChromium, launchChromium } from '../browser/chromium.ts'
import { startCluster } from './support/cluster.ts'
import { ADMIN_KEY, invite, opens } from './support/partners.ts'
import { ask } from './support/replica.ts'

/** The console as a partner sees it, who has a link and nothing else. */

const ARGS = ['--admin-key', ADMIN_KEY]

const browser = await launchChromium(findChromium(process.env))
afterAll(() => browser.close())

/** The requests of a page, each with its status. */
function recordRequests(page: Page): string[] {
  const sent: string[] = []
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    sent.push(`${response.status()} ${pathname}${search}`)
  })
  return sent
}

test('a link opens the console on its world, once, where every panel works and nothing is refused', async () => {
  await using cluster = await startCluster({ args: ARGS })
  const [one, two] = cluster.replicas
  const partner = await invite(one!, { name: 'Acme', demo: true, now: '2026-03-15', frozen: true })
  const page = await browser.newPage()
  page.setDefaultTimeout(30_000)
  const sent = recordRequests(page)
  await page.goto(partner.link)
  await page.getByText('15 Mar 2026').first().waitFor()
  expect(page.url()).not.toContain('claim')
  const copied = page.getByRole('button', { name: 'Copy the key' })
  const key = (await copied.textContent()) ?? ''
  expect(await opens(two!, key)).toBe(200)
  expect(key).not.toBe(partner.key)

  for (const panel of [
    'World',
    'Connect',
    'Traffic',
    'Faults',
    'Policies',
    'Scenarios',
    'Reference',
    'Overview',
  ]) {
    await page.locator('nav[aria-label=Panels]').getByRole('link', { name: panel }).click()
    await page.locator('nav [aria-current=page]', { hasText: panel }).waitFor()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  expect(await page.getByLabel('World', { exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: '+1 day' }).click()
  const readClock = async () =>
    (await ask(`${two!.url}/_sandbox/clock`, { token: partner.key })).body.now
  await expect.poll(readClock).toMatch(/^2026-03-16/)
  expect(sent.filter((line) => /^(?:4|5)/.test(line))).toEqual([])
  expect(sent.filter((line) => /\/_sandbox\/(?:worlds|partners$)/.test(line))).toEqual([])
  const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')
  expect(stored).not.toContain(key)

  const again = await browser.newPage()
  await again.goto(partner.link)
  const dialog = again.getByRole('dialog', { name: 'key of a world' })
  await dialog.getByText('This link has already been used').waitFor()
  await dialog.getByLabel('Key').fill(key)
  await dialog.getByRole('button', { name: 'Open the console' }).click()
  await again.getByText('16 Mar 2026').first().waitFor()
})
