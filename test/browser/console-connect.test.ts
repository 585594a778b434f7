import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { copyBy, openConsole } from './console.ts'

/** The panel Connect: base URL, a first request, and tokens. */

useChromium()

const CONNECT = { address: '?panel=connect' }

test('the first request is sent, and shown with its headers and the gaps that it relies on', async () => {
  await using console = await openConsole(browser, CONNECT)
  const { page, server } = console
  for (const [title, text] of [
    ['curl', `curl -i -H 'Authorization: Bearer sandbox-agency' `],
    ['TypeScript', 'await fetch('],
    ['PHP', 'file_get_contents('],
    ['Python', 'urllib.request'],
  ] as const) {
    await page.getByRole('tab', { name: title }).click()
    await page.getByRole('tabpanel', { name: title }).getByText(text).waitFor()
  }
  await page.getByRole('button', { name: 'Send this request' }).click()
  await page.getByText('x-ratelimit-remaining').waitFor()
  await page.getByLabel('Body', { exact: true }).getByText('"current_page": 1').waitFor()
  const gap = page.getByRole('link', { name: 'G-039' })
  await gap.waitFor()
  expect([...server.sandbox.world.journal.requests()][0]?.gaps).toContain('G-039')
  await page.getByLabel('Token', { exact: true }).selectOption({ label: 'no token' })
  expect(console.complaints).toEqual([])
})

test('each token says what it is for and what it has left, is copied, and comes after those that work where it is refused on purpose', async () => {
  await using console = await openConsole(browser, CONNECT)
  const { page } = console
  const rowOf = (token: string) => page.getByRole('listitem').filter({ hasText: token })
  await rowOf('sandbox-agency').getByText('60 requests left this minute').waitFor()
  await rowOf('sandbox-super').getByText('Every agency’s projects').waitFor()
  await rowOf('sandbox-unlimited').getByText('no rate limit').waitFor()
  await rowOf('sandbox-disabled').getByText('only /me answers').waitFor()
  await rowOf('sandbox-ip-denied').getByText('403, unless sent from 192.0.2.0/24').waitFor()
  await rowOf('sandbox-minute-exhausted').getByText('works again in').waitFor()
  await rowOf('sandbox-hour-exhausted').getByText('works again in').waitFor()
  // Who may see what, and how often, is not said of a token that is refused.
  expect(await rowOf('sandbox-ip-denied').textContent()).not.toContain('requests a minute')
  for (const spent of ['minute', 'hour']) {
    await rowOf(`sandbox-${spent}-exhausted`)
      .getByText(`refused in the first ${spent} after a start or a reset`)
      .waitFor()
  }
  expect(await copyBy(page.getByRole('button', { name: 'Copy the token Sandbox agency' }))).toBe(
    'sandbox-agency',
  )
  const [working, refused] = await page.locator('.tokens ul').all()
  await expect
    .poll(() => working!.locator('.secret').allInnerTexts())
    .toEqual(['sandbox-agency', 'sandbox-super', 'sandbox-unlimited'])
  await expect.poll(() => refused!.locator('.secret').count()).toBe(4)
  expect(console.complaints).toEqual([])
})

test('a token is used up from the list of tokens, which follows it', async () => {
  await using console = await openConsole(browser, CONNECT)
  const { page, server } = console
  const row = page.getByRole('listitem').filter({ hasText: 'sandbox-agency' })
  const headers = { authorization: 'Bearer sandbox-agency' }
  await fetch(`${server.url}/api/v1/me`, { headers })
  await row.getByText('59 requests left this minute').waitFor()
  await row.getByRole('button', { name: 'Use up its limit' }).click()
  await row.getByText('works again in').waitFor()
  await row.getByRole('button', { name: 'Skip the wait' }).click()
  await row.getByText('60 requests left this minute').waitFor()
  expect(console.complaints.filter((complaint) => !complaint.includes('429'))).toEqual([])
})

test('a world without tokens offers to add one', async () => {
  await using console = await openConsole(browser, {
    ...CONNECT,
    server: { fixtures: { version: 1 } },
  })
  const { page, server } = console
  await page.getByRole('button', { name: 'Add a super-admin token' }).click()
  await page.getByText('sandbox-super').first().waitFor()
  expect(server.sandbox.world.records.all('tokens')).toHaveLength(1)
})
