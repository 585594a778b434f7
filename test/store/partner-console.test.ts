import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium, launchChromium } from '../browser/chromium.ts'
import { toSecond } from '../../src/wording/times.ts'
import { findSerious, findTooWide } from '../browser/console.ts'
import { startCluster } from './support/cluster.ts'
import { ADMIN_KEY, invite, opens } from './support/partners.ts'
import type { Invited } from './support/partners.ts'
import { ask } from './support/replica.ts'

/** The console for a partner, who has only a link. */

const ARGS = ['--admin-key', ADMIN_KEY]

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium(findChromium(process.env))
})
afterAll(() => browser.close())

/** Opens a page in a browser context of its own. */
async function openPage(): Promise<Page> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  return page
}

/** Records the requests of a page, each with its status. */
function recordRequests(page: Page): string[] {
  const sent: string[] = []
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    sent.push(`${response.status()} ${pathname}${search}`)
  })
  return sent
}

/** Data that a page stores, by place. */
async function storedBy(page: Page) {
  const text = await page.evaluate(
    'JSON.stringify({ tab: { ...sessionStorage }, browser: { ...localStorage }, cookies: document.cookie })',
  )
  return JSON.parse(String(text)) as {
    tab: Record<string, string>
    browser: Record<string, string>
    cookies: string
  }
}

/** Opens the world of an invitation, which merely loading its page does not do. */
const openWorld = async (page: Page, { link }: Pick<Invited, 'link'>): Promise<void> => {
  await page.goto(link)
  await page.getByRole('button', { name: 'Open my world' }).click()
}

const dialogOf = (page: Page) => page.getByRole('dialog')
const enterKey = async (page: Page, key: string): Promise<void> => {
  await dialogOf(page).locator('input').fill(key)
  await dialogOf(page).getByRole('button', { name: 'Open' }).click()
}

test('a link opens the console on its world, once, where every panel works and nothing is refused', async () => {
  await using cluster = await startCluster({ args: ARGS })
  const [one, two] = cluster.replicas
  const partner = await invite(one!, { name: 'Acme', demo: true, now: '2026-03-15', frozen: true })
  const page = await openPage()
  const sent = recordRequests(page)
  const claims: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/partners/claim')) claims.push(request.url())
  })
  const claimsBefore: number[] = []
  await page.route(/\/console\/.+\.js$/, (route) => {
    claimsBefore.push(claims.length)
    return route.continue()
  })
  await openWorld(page, partner)
  await page.getByText('15 Mar, 00:00').first().waitFor()
  await page.getByRole('heading', { name: /^Welcome, Acme: this world is yours until/ }).waitFor()
  expect(page.url()).not.toContain('claim')
  // Only after every script had loaded.
  expect([...new Set(claimsBefore)]).toEqual([0])
  expect(claims).toHaveLength(1)

  await page.getByRole('button', { name: 'Copy your key' }).first().click()
  const key = String(await page.evaluate('navigator.clipboard.readText()'))
  expect([await opens(two!, key), key === partner.key]).toEqual([200, false])

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
    await page.locator('.rail').getByRole('link', { name: panel }).click()
    await page.locator('.rail [aria-current=page]', { hasText: panel }).waitFor()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  expect(await page.getByLabel('World', { exact: true }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Partners', exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: '+1 day' }).click()
  const readClock = async () =>
    (await ask(`${two!.url}/_sandbox/clock`, { token: partner.key })).body.now
  await expect.poll(readClock).toMatch(/^2026-03-16/)
  // A test would need the package or the admin key.
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('c')
  expect(await page.getByRole('button', { name: 'As a test' }).count()).toBe(0)
  expect(await page.locator('#code-text').count()).toBe(0)
  expect(await findSerious(page)).toEqual([])
  expect(await findTooWide(page)).toEqual([])

  await page.reload()
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()
  await page.getByText('16 Mar, 00:00').first().waitFor()
  expect(sent.filter((line) => /^(?:4|5)/.test(line))).toEqual([])
  expect(sent.filter((line) => /\/_sandbox\/(?:worlds|partners$)/.test(line))).toEqual([])
  expect(sent.filter((line) => line.includes('partners-panel'))).toEqual([])

  const again = await openPage()
  await openWorld(again, partner)
  await dialogOf(again).getByText('This link has already been used').waitFor()
  expect(await dialogOf(again).getAttribute('aria-label')).toBe('This link opens no world')
  // The key as it is displayed in shortened form.
  await enterKey(again, `${key.slice(0, 20)}…`)
  await dialogOf(again).getByText('This is a shortened key.').waitFor()
  await enterKey(again, partner.link)
  await dialogOf(again).getByText('This link has already been used').waitFor()
  await enterKey(again, ` ${key} `)
  await again.getByText('16 Mar, 00:00').first().waitFor()
  await again.reload()
  await again.getByText('16 Mar, 00:00').first().waitFor()
  expect(again.url()).not.toContain('claim')
})

test('the key of a world is in the storage of its tab until it is left or refused, and the admin key nowhere', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [{ url }] = cluster.replicas as [(typeof cluster.replicas)[0]]
  const partner = await invite({ url }, { name: 'Acme', demo: true })
  const page = await openPage()
  await openWorld(page, partner)
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()
  const kept = await storedBy(page)
  const key = kept.tab['seo-sandbox.world-key']!
  expect(await opens({ url }, key)).toBe(200)
  expect(Object.keys(kept.tab)).toEqual(['seo-sandbox.world-key'])
  expect([kept.browser, kept.cookies]).toEqual([{ 'seo-sandbox.last': 'partner' }, ''])

  // Another tab knows that a partner was here, and asks for the key.
  const other = await page.context().newPage()
  await other.goto(url)
  await other.getByRole('dialog', { name: 'Come back to your world' }).waitFor()
  await other.close()

  // A term that is shortened meanwhile is shown.
  const shortened = { method: 'PATCH', token: ADMIN_KEY, body: { expires: 'P3D' } }
  await ask(`${url}/_sandbox/partners/${partner.id}`, shortened)
  await page.getByText('3 days left').waitFor()

  await page.getByRole('button', { name: 'Leave this world' }).click()
  await dialogOf(page).getByRole('button', { name: 'Leave this world' }).click()
  await page.getByRole('dialog', { name: 'Come back to your world' }).waitFor()
  expect((await storedBy(page)).tab).toEqual({})
  await enterKey(page, `${key.slice(0, -4)}0000`)
  await dialogOf(page).getByText('No world has this key, or it was revoked.').waitFor()
  await enterKey(page, key)
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()

  // Revoked while the page is open.
  await ask(`${url}/_sandbox/partners/${partner.id}`, { method: 'DELETE', token: ADMIN_KEY })
  await page.getByRole('dialog', { name: 'Your key was revoked' }).waitFor()
  await dialogOf(page).getByText('Ask whoever invited you for another.').waitFor()
  expect((await storedBy(page)).tab).toEqual({})
  // The operator enters another key there: nobody is greeted, and that key is displayed nowhere.
  await enterKey(page, ADMIN_KEY)
  await page.getByRole('link', { name: 'Partners', exact: true }).waitFor()
  expect(await page.getByRole('heading', { name: /^Welcome/ }).count()).toBe(0)
  expect(await page.content()).not.toContain(ADMIN_KEY)
  expect((await storedBy(page)).tab).toEqual({})

  const operator = await openPage()
  await operator.goto(url)
  await operator.getByRole('dialog', { name: 'Open this sandbox' }).waitFor()
  await enterKey(operator, ADMIN_KEY)
  await operator.getByRole('link', { name: 'Partners', exact: true }).waitFor()
  const left = await storedBy(operator)
  expect([left.tab, left.browser]).toEqual([{}, { 'seo-sandbox.last': 'operator' }])
  await operator.reload()
  await operator.getByRole('dialog', { name: 'Open as the operator' }).waitFor()
})

test('a revoked key is refused once, and then neither the open page nor its dialog sends it again', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [{ url }] = cluster.replicas as [(typeof cluster.replicas)[0]]
  const partner = await invite({ url }, { name: 'Acme', demo: true })
  const page = await openPage()
  await page.clock.install()
  const stream = page.waitForResponse(/requests\/stream/)
  await openWorld(page, partner)
  await stream
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()
  const key = (await storedBy(page)).tab['seo-sandbox.world-key']!
  const sent = recordRequests(page)
  const keys = `${url}/_sandbox/partners/${partner.id}/keys/${key}`
  expect((await ask(keys, { method: 'DELETE', token: ADMIN_KEY })).status).toBe(204)

  const isAsking = () => page.getByRole('dialog', { name: 'Your key was revoked' }).waitFor()
  await isAsking()
  await page.clock.runFor('05:00')
  // It cannot be dismissed into a page of a world that is not theirs any more.
  for (let times = 0; times < 3; times += 1) {
    await page.keyboard.press('Escape')
    await isAsking()
  }
  await expect.poll(() => page.locator('dialog:modal').count()).toBe(1)
  await page.clock.runFor('05:00')
  expect(sent.filter((line) => line.startsWith('4'))).toEqual([
    `401 /_sandbox/clock?world=${partner.world}`,
  ])
  // So that others at this address may mistype theirs.
  expect(await opens({ url }, key)).toBe(401)
  await enterKey(page, partner.key)
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()
})

test('within the limits of its host, the page waits where they refuse it, and takes them for no limit of a token', async () => {
  const args = [...ARGS, '--limits', 'requests=20']
  await using cluster = await startCluster({ replicas: 1, args })
  const partner = await invite(cluster.replicas[0]!, { name: 'Acme', demo: true, frozen: true })
  const page = await openPage()
  const sent = recordRequests(page)
  await openWorld(page, partner)
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()
  const refused = () => sent.filter((line) => line.startsWith('429 /_sandbox/')).length
  const shown = page.locator('.clock b')
  for (let days = 1; days <= 3; days += 1) {
    const before = await shown.textContent()
    await page.getByRole('button', { name: '+1 day' }).click()
    await expect.poll(() => shown.textContent()).not.toBe(before)
  }
  await expect.poll(refused).toBeGreaterThan(0)
  const clock = `${cluster.replicas[0]!.url}/_sandbox/clock?world=${partner.world}`
  const { now } = (await ask(clock, { token: ADMIN_KEY })).body
  await page.getByTitle(`World clock ${toSecond(now)}`).waitFor()
  await page.locator('.go.primary').waitFor()
  expect(await page.locator('.notice .failed').count()).toBe(0)

  // One command is not read back by each row of World.
  await page.locator('.rail').getByRole('link', { name: 'World' }).click()
  await page
    .getByRole('row')
    .getByText(/^Report \d+/)
    .first()
    .waitFor()
  sent.length = 0
  const before = await shown.textContent()
  await page.getByRole('button', { name: '+1 day' }).click()
  await expect.poll(() => shown.textContent()).not.toBe(before)
  await page.locator('.go.primary').waitFor()
  const read = (path: string) => sent.filter((line) => line.includes(`200 /_sandbox${path}`)).length
  await expect.poll(() => read('/agencies/')).toBeGreaterThan(0)
  expect(read('/origin')).toBeLessThan(5)
  expect(sent.filter((line) => line.includes('changes=1'))).toEqual([])
  expect(await page.locator('.notice .failed').count()).toBe(0)

  await page.locator('.rail').getByRole('link', { name: 'Connect' }).click()
  await page.getByText('This host accepts up to 20 requests a second for your world').waitFor()
  await page
    .getByRole('button', { name: /^Use up its limit/ })
    .first()
    .click()
  await page.getByText(/works again in/).waitFor()
  expect(sent.filter((line) => line === '429 /api/v1/me').length).toBeGreaterThan(1)
  expect(await page.locator('.notice .failed').count()).toBe(0)
})

test('a step that waits for its host says so, and no click is lost meanwhile', async () => {
  const args = [...ARGS, '--limits', 'costly=12']
  await using cluster = await startCluster({ replicas: 1, args })
  const [{ url }] = cluster.replicas as [(typeof cluster.replicas)[0]]
  const options = { name: 'Acme', demo: true, now: '2026-03-01', frozen: true }
  const partner = await invite({ url }, options)
  const page = await openPage()
  await openWorld(page, partner)
  await page.locator('.go.primary').waitFor()
  const shown = page.locator('.clock b')
  const waiting = page.getByText(/^Waiting \d s\. On this host, a world has 12 expensive requests/)
  let steps = 0
  while ((await waiting.count()) === 0) {
    const before = await shown.textContent()
    await page.getByRole('button', { name: '+1 day' }).click()
    steps += 1
    await expect
      .poll(async () => (await waiting.count()) > 0 || (await shown.textContent()) !== before)
      .toBe(true)
  }
  const disabled = page.locator('.steps button:disabled').first()
  await disabled.waitFor()
  await disabled.waitFor({ state: 'detached' })
  const readDay = async () =>
    (await ask(`${url}/_sandbox/clock`, { token: partner.key })).body.now.slice(0, 10)
  await expect.poll(readDay).toBe(`2026-03-${String(1 + steps).padStart(2, '0')}`)
  expect(await page.locator('.notice').count()).toBe(0)
})

test('a link is not used up by a page that is only loaded, as by a scanner of mail, or loaded again', async () => {
  await using cluster = await startCluster({ replicas: 1, args: ARGS })
  const [{ url }] = cluster.replicas as [(typeof cluster.replicas)[0]]
  const partner = await invite({ url }, { name: 'Acme', demo: true })
  for (const method of ['GET', 'HEAD']) {
    const scanned = await fetch(partner.link, { method, headers: { accept: '*/*' } })
    expect([scanned.status, scanned.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
  }
  const page = await openPage()
  const sent = recordRequests(page)
  for (const load of [() => page.goto(partner.link), () => page.reload()]) {
    await load()
    await page.waitForLoadState('networkidle')
    await page.getByRole('heading', { name: 'A world is waiting for you' }).waitFor()
    expect(await page.locator('.button.primary').allTextContents()).toEqual(['Open my world'])
  }
  expect(sent.filter((line) => line.includes('/_sandbox/'))).toEqual([])
  expect(page.url()).toBe(partner.link)
  expect(await findSerious(page)).toEqual([])
  expect(await findTooWide(page)).toEqual([])

  await page.route('**/partners/claim', (route) => route.abort())
  await page.getByRole('button', { name: 'Open my world' }).click()
  await page.getByText('The server did not respond. Try again').waitFor()
  await page.unroute('**/partners/claim')
  await page.getByRole('button', { name: 'Open my world' }).click()
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()
  expect(sent.filter((line) => line.endsWith('/partners/claim'))).toHaveLength(1)

  // A link in a tab that already has the key of a world: it is refused with a single message, and the world stays.
  await page.goto('about:blank')
  await openWorld(page, partner)
  await page.getByText('This link has already been used').waitFor()
  expect(await page.getByText('This link has already been used').count()).toBe(1)
  await page.getByRole('heading', { name: /^Welcome, Acme/ }).waitFor()
  expect(await dialogOf(page).count()).toBe(0)
  expect(page.url()).not.toContain('claim')
})

test('a link is not used up by a page that does not load, and says why it is of no use', async () => {
  await using cluster = await startCluster({
    replicas: 1,
    redis: { hasClock: true },
    args: ARGS,
  })
  const [{ url }] = cluster.replicas as [(typeof cluster.replicas)[0]]
  const partner = await invite({ url }, { name: 'Acme', expires: 'P3D' })
  const broken = await openPage()
  await broken.route(/lazy-panels-.+\.js/, (route) => route.abort())
  await openWorld(broken, partner)
  await broken.getByText('could not be loaded').first().waitFor()
  expect(broken.url()).toBe(partner.link)

  const page = await openPage()
  await openWorld(page, partner)
  await page.getByText('3 days left').waitFor()
  await page.getByText('ask whoever invited you').waitFor()

  const said = async (invited: Pick<Invited, 'link'>) => {
    const visitor = await openPage()
    await openWorld(visitor, invited)
    const alert = dialogOf(visitor).getByRole('alert')
    await alert.waitFor()
    // Only once, and not also in a notice.
    expect(await visitor.locator('.notice').count()).toBe(0)
    const title = await dialogOf(visitor).getAttribute('aria-label')
    const text = await alert.textContent()
    await visitor.context().close()
    return [title, text]
  }
  const unknown = [
    'This link opens no world',
    'This link is not valid, or has been replaced or revoked: ask the person who invited you.',
  ]
  expect((await said(partner))[1]).toMatch(/already been used/)
  expect(
    await said({ link: partner.link.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }),
  ).toEqual(unknown)
  const revoked = await invite({ url }, { name: 'Revoked' })
  await ask(`${url}/_sandbox/partners/${revoked.id}`, { method: 'DELETE', token: ADMIN_KEY })
  expect(await said(revoked)).toEqual(unknown)
  await cluster.redis.setClock(4 * 86_400)
  expect((await said(partner))[1]).toMatch(/has expired.+renew/)
  await dialogOf(page).getByText('The world of this key has expired').waitFor()
})
