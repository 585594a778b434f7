import type { BrowserContext, Page } from 'puppeteer-core'
import { afterAll, expect, test } from 'vitest'
import { exportSite, openHost } from '../browser/static-host.ts'
import {
  age,
  ask,
  command,
  countProjects,
  fetchIn,
  idOf,
  readClock,
  readLinks,
  releasesIn,
  saveWith,
  untilNextWaits,
  untilServed,
} from '../browser/static-page.ts'
import { findFirefox, launchFirefox } from './firefox.ts'

/** A static site in Firefox: the essentials of test/browser/static-site.test.ts. */

const browser = await launchFirefox(findFirefox(process.env))
const demo = await exportSite('--demo')
afterAll(async () => {
  await browser.close()
  await demo[Symbol.asyncDispose]()
})

/** A project of the demo that has a completed report. */
const PROJECT = 1001
const BEGINNING = '15 Mar, 12:00'

/** The tabs of a site in a part of the browser that has never seen it. */
interface Visit extends AsyncDisposable {
  context: BrowserContext
  /** Errors that its pages threw or logged. */
  complaints: string[]
  /** Opens the site, or another address of it, in another tab, and waits until its world is on the screen. */
  open: (address?: string) => Promise<Page>
}

/** Firefox's message when a page is reloaded while it reads a response. */
const ENDED = /Failed to read data from the ReadableStream: .AbortError/

async function visit(url: string): Promise<Visit> {
  const context = await browser.createBrowserContext()
  const complaints: string[] = []
  return {
    context,
    complaints,
    open: async (address = url) => {
      const page = await context.newPage()
      // A narrower window has the panels in a menu.
      await page.setViewport({ width: 1280, height: 800 })
      page.on('console', (message) => {
        const text = message.text()
        if (message.type() === 'error' && !ENDED.test(text)) complaints.push(text)
      })
      page.on('pageerror', (error) => {
        if (!ENDED.test(String(error))) complaints.push(String(error))
      })
      await page.goto(address)
      await untilShown(page)
      return page
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

async function untilShown(page: Page): Promise<void> {
  await page.waitForSelector('h1')
  await page.waitForSelector('.clock b:not(:empty)')
}

/** Waits until the page shows a text. */
async function untilText(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.evaluate('document.body.innerText')).toContain(text)
}

/** Runs the request that the Reference shows, and waits for its response. */
async function run(page: Page): Promise<void> {
  // A tab behind another is drawn seldom.
  await page.bringToFront()
  await page.locator('nav[aria-label=Panels] a[href*=reference]').click()
  // Until the tokens have loaded, requests are sent without one.
  await page.waitForSelector(
    'select[aria-label=Token] option[value="1"], label.row option[value="1"]',
  )
  await page.locator('::-p-text(Send this request)').click()
  await expect
    .poll(() => page.evaluate(`document.querySelector('.response .state')?.textContent`))
    .toContain('200')
}

test('it shows a world, and runs requests of the page and of its console, as in any browser', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilText(page, '40 projects')
  await run(page)
  await untilServed(page)
  expect(await ask(page, 'api/v1/me')).toMatchObject({ name: 'Sandbox agency' })
  expect(await fetchIn(page, 'api/v1/me', { method: 'HEAD' })).toMatchObject({ status: 401 })
  expect(await fetchIn(page, 'api/v1/me', { method: 'POST' })).toMatchObject({ status: 405 })
  await command(page, { type: 'clock.advance', by: 'P1D' })
  expect(await readClock(page)).toBe('2026-03-16T12:00:00.000000Z')
  // A command without a body.
  expect(await fetchIn(page, '_sandbox/reset', { method: 'POST' })).toMatchObject({ status: 200 })
  await untilText(page, BEGINNING)
  expect(host.requests.filter((path) => /\/(?:api|_sandbox)\//.test(path))).toEqual([])
  expect(tabs.complaints).toEqual([])
})

test('each tab has a world of its own, whose reports open from its links as long as it is open', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const one = await tabs.open()
  await untilServed(one)
  const other = await tabs.open()
  await untilServed(other)
  expect(await idOf(other)).not.toBe(await idOf(one))
  await command(other, { type: 'clock.advance', by: 'P1M' })
  expect(await readClock(other)).toBe('2026-04-15T12:00:00.000000Z')
  expect(await readClock(one)).toBe('2026-03-15T12:00:00.000000Z')
  const report = await tabs.context.newPage()
  const links = [await readLinks(one, PROJECT), await readLinks(other, PROJECT)]
  for (const { web } of links) {
    expect((await report.goto(web))?.status()).toBe(200)
    await report.waitForSelector('svg rect')
  }
  expect(await fetchIn(one, links[0]!.pdf)).toMatchObject({ type: 'application/pdf' })
  await other.close()
  await report.goto(links[1]!.web)
  await untilText(report, 'No open tab has this report.')
  expect(tabs.complaints).toEqual([])
})

test('a link shows somebody else what is on screen', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await ask(page, 'api/v1/projects?page=2')
  await command(page, { type: 'clock.advance', by: 'P1M' })
  await page.locator('nav[aria-label=Panels] a[href*=traffic]').click()
  await untilText(page, '2 entries')
  await page.locator('::-p-text(Share this view)').click()
  await page.waitForSelector('dialog p.mono')
  const link = await page.evaluate(`document.querySelector('dialog p.mono').textContent`)

  await using others = await visit(host.url)
  const opened = await others.open(String(link))
  await untilText(opened, '2 entries')
  expect(await readClock(opened)).toBe('2026-04-15T12:00:00.000000Z')
  expect([...tabs.complaints, ...others.complaints]).toEqual([])
})

test('a tab that is loaded again has the world that it had, for 7 days', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  const id = await idOf(page)
  await saveWith(page, () => command(page, { type: 'clock.set', now: '2026-05-02T08:00:00Z' }))
  for (let times = 0; times < 2; times += 1) {
    await page.reload()
    await untilText(page, '2 May, 08:00')
    expect(await idOf(page)).toBe(id)
  }
  await age(page, 8)
  await page.reload()
  await untilText(page, BEGINNING)
  expect(tabs.complaints).toEqual([])
})

test('a release takes over when no other tab has the last one open, and never mixes with it', async () => {
  await using next = await exportSite('--projects', '3')
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  const [first] = await releasesIn(page)
  host.serve(next.folder)
  await untilNextWaits(page)
  host.requests.length = 0
  const other = await tabs.open()
  expect(await countProjects(other)).toBe(40)
  await page.reload()
  await untilShown(page)
  expect(await countProjects(page)).toBe(40)
  await run(page)
  expect(host.requests.filter((path) => !path.endsWith('/service-worker.js'))).toEqual([])
  await other.close()
  await page.reload()
  await expect.poll(() => page.$('h1')).not.toBeNull()
  await expect.poll(() => countProjects(page)).toBe(3)
  await expect.poll(() => releasesIn(page)).toHaveLength(1)
  expect(await releasesIn(page)).not.toContain(first)
  await run(page)
  expect(tabs.complaints).toEqual([])
})

test('without a network it goes on as it was', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  await host.stop()
  await page.reload()
  await untilShown(page)
  await run(page)
  const report = await tabs.context.newPage()
  await report.goto((await readLinks(page, PROJECT)).web)
  await report.waitForSelector('svg rect')
  expect(await fetchIn(page, '_sandbox/clock')).toMatchObject({ status: 200 })
})
