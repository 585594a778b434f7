import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { findSerious, openConsole } from './console.ts'

/** The panel Reference: the endpoints of the API, from its OpenAPI document. */

useChromium()

test('every endpoint is shown with what it returns, and runs as it is', async () => {
  await using console = await openConsole(browser, { address: '?panel=reference' })
  const { page, server } = console
  const links = page.getByRole('navigation', { name: 'Endpoints' }).getByRole('link')
  await links.first().waitFor()
  await expect.poll(() => links.count()).toBe(14)
  const count = await links.count()
  for (let index = 0; index < count; index += 1) {
    await links.nth(index).click()
    await expect.poll(() => page.locator('.schema li').count()).toBeGreaterThan(1)
    await page.locator('option', { hasText: 'Sandbox agency' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Send this request' }).click()
    await page.locator('.response .state', { hasText: '200' }).waitFor()
  }
  const routes = [...server.sandbox.world.journal.requests()].map(({ route }) => route)
  expect(new Set(routes).size).toBe(14)
  expect(console.complaints).toEqual([])
})

test('parameters, errors, gaps and the document itself', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=reference&endpoint=listProjects',
  })
  const { page } = console
  // Until the tokens have loaded, requests are sent without one.
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
  await page.getByLabel('per_page').fill('1')
  await page.getByLabel('search').fill('a & b')
  await page.getByText('GET /api/v1/projects?search=a+%26+b&per_page=1').waitFor()
  await page.getByLabel('per_page').press('Enter')
  await page.getByLabel('Body', { exact: true }).getByText('"per_page": 1').waitFor()
  await page.getByText('Only super-admin tokens may filter by agency_id.').first().waitFor()
  await page.getByRole('link', { name: 'G-044' }).waitFor()
  await page.getByText('Show an example').click()
  expect(await findSerious(page)).toEqual([])
  const link = page.getByRole('link', { name: 'OpenAPI document' })
  await expect.poll(() => link.getAttribute('href')).toBe(`${console.server.url}/openapi.json`)
  await page.getByRole('link', { name: 'G-044' }).click()
  await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor()
  expect(console.complaints).toEqual([])
})
