import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { findChromium, launchChromium } from '../browser/chromium.ts'
import { findSerious, findTooWide } from '../browser/console.ts'
import { HostError, Partner } from '../../src/world/hosted-worlds.ts'
import { startCluster } from './support/cluster.ts'
import { ADMIN_KEY, claim, invite, opens } from './support/partners.ts'
import { ask } from './support/replica.ts'

/** The operator's view of the partners, and of problems. */

const ARGS = ['--admin-key', ADMIN_KEY]

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium(findChromium(process.env))
})
afterAll(() => browser.close())

test('use by partner, and what was refused, by world and with a count', async () => {
  await using cluster = await startCluster({ args: [...ARGS, '--limits', 'requests=3'] })
  const [one, two] = cluster.replicas
  const read = async (path: string) => (await ask(one!.url + path, { token: ADMIN_KEY })).body
  const partner = await invite(one!, { name: 'Acme' })
  const [before] = await read('/_sandbox/partners')
  expect(before).toMatchObject({ id: partner.id, claimed: false, requests: 0 })
  expect(await read('/_sandbox/errors')).toEqual([])

  const [token] = Object.values(partner.tokens)
  // More than the limit allows in two seconds, in case they take as long.
  const sent = Array.from({ length: 20 }, () => ask(`${one!.url}/api/v1/me`, { token: token! }))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  const taken = statuses.filter((status) => status === 200).length
  const [after] = await read('/_sandbox/partners')
  expect(after).toMatchObject({ id: partner.id, requests: taken })
  expect(after.last_used_at >= before.last_used_at).toBe(true)
  const message = expect.stringMatching(
    /^On this host, a world has 3 requests and changes a second/,
  )
  expect(z.array(HostError).parse(await read('/_sandbox/errors'))).toEqual([
    { at: expect.any(String), world: partner.world, message, times: 20 - taken },
  ])
  const other = await ask(`${two!.url}/_sandbox/errors`, { token: ADMIN_KEY })
  expect(other.body).toEqual([])

  const page = await browser.newPage()
  await page.goto(one!.url)
  await openAsOperator(page)
  const row = page.getByRole('row', { name: 'Acme' })
  expect(await row.textContent()).toMatch(/0 of 64 MB/)
  await page
    .getByRole('listitem')
    .filter({ hasText: /^On this host, a world has 3 requests.+World of Acme, / })
    .waitFor()
  // Limits have units.
  for (const limit of [
    '20,000 records',
    '3 requests and changes a second',
    '256 kB in the body of a request with its key',
    '64 MB in the store',
  ]) {
    await page.getByText(limit, { exact: true }).waitFor()
  }
  expect(await findSerious(page)).toEqual([])
  await row.click()
  await page.locator('.partner code', { hasText: partner.world }).waitFor()
  await page.getByRole('button', { name: 'Show their world' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('world')).toBe(partner.world)
  await expect
    .poll(() => page.getByLabel('World', { exact: true }).locator('option:checked').textContent())
    .toBe('World of Acme')
  await page.locator('main').getByText('You are in the world of Acme.').waitFor()
  expect(await findSerious(page)).toEqual([])
  expect(await findTooWide(page)).toEqual([])
  await page.getByRole('button', { name: 'Back to your own' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('world')).toBe(null)
  await expect.poll(() => page.getByText('You are in the world').count()).toBe(0)
})

/** True if nothing of an element is outside the panel or covered. */
function isInView(element: Locator): Promise<boolean> {
  return element.evaluate((shown) => {
    const { left, right, top, bottom } = shown.getBoundingClientRect()
    const corners = [
      [left + 1, top + 1],
      [right - 1, bottom - 1],
    ] as const
    return corners.every(([x, y]) => shown.contains(shown.ownerDocument.elementFromPoint(x, y)))
  })
}

async function enterKey(page: Page): Promise<void> {
  const key = page.getByRole('dialog').locator('input')
  await key.fill(ADMIN_KEY)
  await key.press('Enter')
}

/** Enters the admin key, and goes to the partners. */
async function openAsOperator(page: Page): Promise<void> {
  await enterKey(page)
  await page.getByRole('link', { name: 'Partners', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Partners' }).waitFor()
}

test('the form for a partner begins with the country of the default world, and theirs has it unless another is chosen', async () => {
  await using cluster = await startCluster({
    replicas: 1,
    args: [...ARGS, '--demo', '--locale', 'sv'],
  })
  const [one] = cluster.replicas
  const page = await browser.newPage()
  await page.goto(one!.url)
  await openAsOperator(page)
  const country = page.getByLabel('Country of the demo')
  const open = () => page.getByRole('button', { name: 'Invite a partner' }).click()
  const invited = async (name: string) => {
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Invite the partner' }).click()
    await page.getByRole('heading', { name: `Send this to ${name}` }).waitFor()
    const partners = await ask(`${one!.url}/_sandbox/partners`, { token: ADMIN_KEY })
    const { world } = Partner.array()
      .parse(partners.body)
      .find((each) => each.name === name)!
    const { body } = await ask(`${one!.url}/_sandbox/records/countries?world=${world}`, {
      token: ADMIN_KEY,
    })
    return body.map(({ label }: { label: string }) => label)
  }
  await open()
  expect(await invited('Alder')).toEqual(['Sweden'])
  await open()
  await page.getByRole('button', { name: 'Choose their world' }).click()
  await expect.poll(() => country.locator('option:checked').textContent()).toBe('Sweden')
  await country.selectOption('Norway')
  expect(await invited('Birch')).toEqual(['Norway'])
  await page.close()
})

test('the page invites, finds who has trouble, renews, makes and revokes keys, and revokes after asking', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [one] = cluster.replicas
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(one!.url)
  await openAsOperator(page)
  await page.getByText('No partners yet').waitFor()
  const listed = async () =>
    Partner.array().parse((await ask(`${one!.url}/_sandbox/partners`, { token: ADMIN_KEY })).body)

  const names = ['Alder', 'Birch & Søn', 'Cedar']
  for (const name of names) {
    await page.getByRole('button', { name: 'Invite a partner' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('For how long').selectOption('14 days')
    await page.getByRole('button', { name: 'Invite the partner' }).click()
    await page.getByRole('heading', { name: `Send this to ${name}` }).waitFor()
  }
  await page.getByRole('button', { name: 'Invite a partner' }).click()
  await page.getByLabel('Name').fill('Dogwood\n\n Elm \nAlder\nFir')
  await page.getByRole('button', { name: 'Invite 4 partners' }).click()
  // At the field, which has the focus.
  const refusal = page.locator('label', { has: page.getByLabel('Name') }).getByRole('alert')
  await refusal.getByText('is the name of the partner').waitFor()
  expect(await page.locator('textarea:focus').inputValue()).toBe('Alder\nFir')
  expect(await page.locator('.notice').count()).toBe(0)
  await page.getByRole('button', { name: 'Copy all of them' }).click()
  const all = String(await page.evaluate('navigator.clipboard.readText()'))
  expect([...all.matchAll(/Hello (\w+),/g)].map(([, name]) => name)).toEqual([
    'Dogwood',
    'Elm',
    'Cedar',
    'Alder',
  ])
  expect((await listed()).map(({ name }) => name)).toEqual([...names, 'Dogwood', 'Elm'])
  await page.getByRole('button', { name: 'Invite a partner' }).click()

  const closed = page.getByRole('dialog', { name: 'Close all of them?' })
  await page.getByRole('button', { name: 'Close all of them' }).click()
  await closed.getByRole('button', { name: 'Keep them open' }).click()
  await page.getByRole('heading', { name: 'Send this to Cedar' }).waitFor()
  await page.getByRole('button', { name: 'Close all of them' }).click()
  await closed.getByRole('button', { name: 'Close all of them' }).click()
  await page.getByRole('button', { name: 'Show failing clients' }).click()
  await page.getByText('No failing clients').waitFor()
  expect(await page.getByRole('button', { name: 'Invite a partner' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Show all partners' }).click()
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 700 })
    const row = page.getByRole('row', { name: 'Birch' })
    await row.scrollIntoViewIfNeeded()
    await row.click()
    // Where the user looks: beside the row, or in place of the list.
    const card = page.locator('.partner header')
    await card.getByText('Birch').waitFor()
    await expect.poll(() => isInView(card)).toBe(true)
    expect(await findTooWide(page)).toEqual([])
    if (width === 390) await page.getByRole('button', { name: 'Close the partner' }).click()
  }
  await page.getByRole('button', { name: 'Make another link', exact: true }).click()
  await page.getByRole('button', { name: 'Copy the text for Birch' }).click()
  const text = String(await page.evaluate('navigator.clipboard.readText()'))
  const link = /\S+#claim=\S+/.exec(text)![0]
  expect(text).toContain(`${one!.url}/api/v1`)
  const claimed = await claim(one!, { link })
  expect(claimed.status).toBe(201)
  await expect.poll(() => page.getByRole('heading', { name: 'Send this to Birch' }).count()).toBe(0)
  await page.locator('.partner-facts').getByText('used', { exact: true }).waitFor()
  const tokens = await ask(`${one!.url}/_sandbox/records/tokens`, { token: claimed.body.key })
  const { token } = tokens.body.find((each: any) => each.token.startsWith('sandbox-agency'))
  await ask(`${one!.url}/api/v1/projects/1001/reports/27/content`, {
    token,
    headers: { accept: 'application/json' },
  })

  await page.getByRole('button', { name: 'Show failing clients' }).click()
  // The list follows what partners do.
  await expect
    .poll(() => page.getByRole('row', { name: 'Birch' }).count(), { timeout: 40_000 })
    .toBe(1)
  expect(await page.getByRole('row', { name: 'Alder' }).count()).toBe(0)
  await page.getByText('for a report number outside 1 to 26').waitFor()
  expect(await findSerious(page)).toEqual([])
  expect(await findTooWide(page)).toEqual([])
  await page.getByRole('button', { name: 'Show all partners' }).click()
  await page.getByRole('searchbox', { name: 'Search partners' }).fill('bIRCH')
  await expect.poll(() => page.getByRole('row').count()).toBe(2)

  await page.getByLabel('Renew for').selectOption('7 days')
  await page.getByRole('button', { name: /^Shorten it to .*, 7 days earlier$/ }).click()
  const shortened = page.getByRole('dialog', { name: 'Shorten the term of Birch & Søn?' })
  await shortened.getByRole('button', { name: 'Keep the term' }).click()
  await page.getByLabel('Renew for').selectOption('14 days')
  expect(await page.getByRole('button', { name: /^Renew until/ }).isDisabled()).toBe(true)
  await page.getByLabel('Renew for').selectOption('365 days')
  await page.getByRole('button', { name: /^Renew until/ }).click()
  const daysLeft = async () =>
    Math.round((Date.parse((await listed())[1]!.expires_at) - Date.now()) / 86_400_000)
  await expect.poll(daysLeft).toBe(365)
  await page.getByRole('button', { name: 'Make a new key' }).click()
  const heading = page.getByRole('heading', { name: /^The new key \w+ of Birch/ })
  await heading.waitFor()
  const { id } = (await listed())[1]!
  const { body: keys } = await ask(`${one!.url}/_sandbox/partners/${id}/keys`, { token: ADMIN_KEY })
  expect(await heading.textContent()).toContain(keys[2].id)
  await page.getByText('made with the invitation for scripts, never used').waitFor()
  const key = (await page.locator('.partner-secret pre').first().textContent()) ?? ''
  expect(await opens(one!, key)).toBe(200)
  const revoke = page.getByRole('button', { name: /^Revoke the key/ })
  await expect.poll(() => revoke.count()).toBe(3)
  await revoke.last().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click()
  await expect.poll(() => revoke.count()).toBe(2)
  expect(await opens(one!, key)).toBe(401)

  const revokePartner = page.getByRole('button', { name: 'Revoke the partner' })
  await revokePartner.click()
  const dialog = page.getByRole('dialog', { name: 'Revoke Birch & Søn?' })
  await dialog.getByRole('button', { name: 'Keep the partner' }).click()
  expect(await listed()).toHaveLength(5)
  await revokePartner.click()
  await dialog.getByRole('button', { name: 'Revoke the partner' }).click()
  await expect
    .poll(async () => (await listed()).map(({ name }) => name))
    .toEqual(['Alder', 'Cedar', 'Dogwood', 'Elm'])

  // Even a long name without a space fits into each dialog about it.
  const long = await invite(one!, { name: 'Ø'.repeat(80) })
  await page.goto(`${one!.url}/?panel=partners&partner=${long.id}`)
  await enterKey(page)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 700 })
    for (const name of ['Revoke the partner', 'Shorten it to', 'Revoke the key']) {
      if (name === 'Shorten it to') await page.getByLabel('Renew for').selectOption('7 days')
      await page.getByRole('button', { name }).click()
      const asked = page.getByRole('dialog')
      await asked.waitFor()
      expect(
        await asked.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).toBe(0)
      await page.keyboard.press('Escape')
    }
    expect(await findTooWide(page)).toEqual([])
  }
  await context.close()
})
