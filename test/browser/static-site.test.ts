import { createSandbox } from 'seo-sandbox'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { findSerious, findTooWide } from './console.ts'
import { looks } from './looks.ts'
import { exportFixtures, exportSite, openHost, SITE_PATH, START } from './static-host.ts'
import type { ExportedSite } from './static-host.ts'
import {
  age,
  changeKept,
  ask,
  command,
  countProjects,
  fetchIn,
  idOf,
  keptIds,
  readClock,
  readLinks,
  releasesIn,
  saveWith,
  untilNextWaits,
  untilServed,
} from './static-page.ts'

/** A static site, as written by `seo-sandbox export`, below a path of a plain web host, in Chromium. */

useChromium()
let demo: ExportedSite
beforeAll(async () => {
  demo = await exportSite('--demo')
})
afterAll(async () => {
  await demo[Symbol.asyncDispose]()
})

/** A project of the demo that has a completed report. */
const PROJECT = 1001
const BEGINNING = '15 Mar, 12:00'

/** The tabs of a site in a browser that has never seen it. */
interface Visit extends AsyncDisposable {
  context: BrowserContext
  /** Errors and warnings that its pages logged or threw, including those of the content security policy. */
  complaints: string[]
  /** Requests of any page to an address outside the site. */
  elsewhere: string[]
  /** Opens the site in another tab, and waits until its world is on the screen: `?panel=traffic`. */
  open: (address?: string) => Promise<Page>
}

async function visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const complaints: string[] = []
  const elsewhere: string[] = []
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    complaints.push(`${message.text()} at ${message.location().url}`)
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  context.on('request', (request) => {
    const address = request.url()
    if (!/^(?:blob|data):/.test(address) && !address.startsWith(url)) elsewhere.push(address)
  })
  return {
    context,
    complaints,
    elsewhere,
    open: async (address = '') => {
      const page = await context.newPage()
      await page.goto(`${url}${address}`)
      await untilShown(page)
      return page
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.clock b', { hasText: ':' }).first().waitFor()
}

/** Sends the request that the Reference shows, and waits for its response. */
async function run(page: Page): Promise<void> {
  // A tab behind another one draws only once per second.
  await page.bringToFront()
  await page.getByRole('link', { name: 'Reference' }).click()
  await page.getByRole('heading', { level: 1, name: 'Reference' }).waitFor()
  // Until the tokens have loaded, requests are sent without one.
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
  await page.getByRole('button', { name: 'Send this request' }).click()
  await page.locator('.response .state', { hasText: '200' }).waitFor()
}

test(
  'it shows a world below any path of its host, and asks nobody else for anything',
  { tags: ['core'] },
  async () => {
    await using host = await openHost(demo.folder)
    await using tabs = await visit(host.url)
    const page = await tabs.open()
    await page.getByText(BEGINNING).first().waitFor()
    await page.getByText('40 projects').first().waitFor()
    // The text for browsers without scripts is gone.
    await expect.poll(() => page.getByText('needs JavaScript').count()).toBe(0)
    await untilServed(page)
    for (const panel of ['Connect', 'Traffic', 'Faults', 'Policies', 'Scenarios']) {
      await page.getByRole('link', { name: panel, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: panel }).waitFor()
    }
    await page.getByRole('link', { name: /^World\b/ }).click()
    await page.getByRole('row', { name: 'The Johnson Clinic' }).click()
    await page.getByRole('heading', { name: /^latest is / }).waitFor()
    expect(host.requests.filter((path) => !path.startsWith(`${SITE_PATH}/`))).toEqual([])
    const asked = new Set(host.requests.map((path) => path.slice(SITE_PATH.length + 1)))
    expect(
      [...asked].filter((path) => !['', 'service-worker.js', ...demo.files].includes(path)),
    ).toEqual([])
    expect(tabs.elsewhere).toEqual([])
    expect(tabs.complaints).toEqual([])
  },
)

test('Connect sends a request here, and offers nothing that a client elsewhere cannot use', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await page.getByRole('link', { name: 'Connect', exact: true }).click()
  await page.getByText('This demo runs in your browser alone.').waitFor()
  await page.getByRole('button', { name: 'Copy the command', exact: true }).waitFor()
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
  await page.getByRole('button', { name: 'Send this request' }).click()
  await page.locator('.response .state', { hasText: '200' }).waitFor()
  expect(await page.getByRole('button', { name: 'Copy the base URL' }).count()).toBe(0)
  expect(await page.getByRole('tab').allInnerTexts()).toEqual([])
  expect(tabs.complaints).toEqual([])
})

test('it offers no code and no address for clients that cannot reach it, but Run, and says where there is a sandbox for them', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  const findUnreachable = async (): Promise<string[]> => [
    ...(await page.getByRole('tab', { name: /curl|PHP|Python/ }).allTextContents()),
    ...(await page.getByText('Waiting for a first request').allTextContents()),
    ...(await page.getByRole('button', { name: 'Copy the base URL' }).allTextContents()),
  ]
  await page.getByRole('heading', { level: 1, name: 'Kingfisher SEO' }).waitFor()
  await page.getByText('This demo is yours alone, in your browser').waitFor()
  await page.getByRole('heading', { name: 'Worth a look' }).waitFor()
  // A visitor may be a customer of an agency, and has no client and no terminal.
  expect(await page.locator('body').innerText()).not.toMatch(/\bclient\b|npx/i)
  expect(await findUnreachable()).toEqual([])
  await page.getByRole('link', { name: 'Connect', exact: true }).click()
  await page.getByText('npx seo-sandbox').first().waitFor()
  expect(await findUnreachable()).toEqual([])
  await page.getByRole('link', { name: 'Traffic' }).click()
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  expect(await findUnreachable()).toEqual([])
  await run(page)
  await page.getByRole('button', { name: 'As a test' }).click()
  await page.locator('#code-text').getByText('createSandbox').first().waitFor()
  expect(await findUnreachable()).toEqual([])
  expect(tabs.complaints).toEqual([])
})

test('Reference, and code in the console of the browser, get what a server responds with, and are in the traffic', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await run(page)
  await untilServed(page)
  const sandbox = await createSandbox({ demo: true, ...START })
  for (const path of ['me', `projects/${PROJECT}`, `projects/${PROJECT}/reports/latest`]) {
    const headers = { authorization: 'Bearer sandbox-agency', accept: 'application/json' }
    const response = await sandbox.fetch(
      new Request(`http://localhost/api/v1/${path}`, { headers }),
    )
    const expected = JSON.stringify(await response.json())
    const got = JSON.stringify(await ask(page, `api/v1/${path}`))
    // The addresses of report pages contain the id of the tab.
    const withoutLinks = (text: string) => text.replaceAll(/"(?:web|pdf)_link":"[^"]*"/g, '')
    expect(withoutLinks(got)).toBe(withoutLinks(expected))
  }
  const head = await fetchIn(page, 'api/v1/me', { method: 'HEAD' })
  expect(head).toMatchObject({ status: 401, text: '' })
  const posted = await fetchIn(page, 'api/v1/me', { method: 'POST', body: '{}' })
  expect(posted.status).toBe(405)
  await command(page, { type: 'clock.advance', by: 'P1D' })
  await page.getByText('16 Mar, 12:00').waitFor()
  expect(await readClock(page)).toBe('2026-03-16T12:00:00.000000Z')
  await page.getByRole('link', { name: 'Traffic' }).click()
  for (const path of ['/me', `/projects/${PROJECT}`, `/projects/${PROJECT}/reports/latest`]) {
    await page.getByRole('row', { name: path }).first().waitFor()
  }
  expect(host.requests.filter((path) => /\/(?:api|_sandbox)\//.test(path))).toEqual([])
})

test('a fault that breaks the connection does so here, and one that delays holds only its own response', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  await command(page, { type: 'fault.add', fault: { kind: 'reset', schedule: { first: 1 } } })
  const failed = page.evaluate(`fetch('api/v1/me').then(() => 'responded', (error) => error.name)`)
  expect(await failed).toBe('TypeError')
  expect((await fetchIn(page, 'api/v1/me')).status).toBe(401)
  await command(page, { type: 'fault.add', fault: { kind: 'no-answer', schedule: { first: 1 } } })
  const hanging = page.evaluate(`(() => {
    const aborted = new AbortController()
    globalThis.hanging = fetch('api/v1/me', { signal: aborted.signal }).catch((error) => error.name)
    globalThis.end = () => aborted.abort()
  })()`)
  await hanging
  await expect
    .poll(async () => (await fetchIn(page, '_sandbox/faults')).text)
    .toContain('"fired":1')
  expect((await fetchIn(page, 'api/v1/me')).status).toBe(401)
  expect(await page.evaluate('(globalThis.end(), globalThis.hanging)')).toBe('AbortError')
})

test(
  'the link of a report opens its page, as long as the tab that it is from is open',
  { tags: ['core'] },
  async () => {
    await using host = await openHost(demo.folder)
    await using tabs = await visit(host.url)
    const page = await tabs.open()
    await untilServed(page)
    const { data } = (await ask(page, `api/v1/projects/${PROJECT}`)) as { data: { name: string } }
    const { web, pdf } = await readLinks(page, PROJECT)
    const start = `${host.url}reports/${await idOf(page)}/`
    expect([web, pdf].filter((link) => !link.startsWith(start))).toEqual([])
    const report = await tabs.context.newPage()
    const response = await report.goto(web)
    expect(response?.status()).toBe(200)
    expect(await report.title()).toContain(data.name)
    await report.locator('svg rect').first().waitFor()
    expect(await fetchIn(page, pdf)).toMatchObject({
      status: 200,
      type: 'application/pdf',
      text: expect.stringMatching(/^%PDF-/),
    })
    expect(await fetchIn(page, web, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect(tabs.complaints).toEqual([])
    await page.close()
    await expect.poll(async () => (await report.goto(web))?.status()).toBe(404)
    await report.getByText('No open tab has this report. Its world is in the tab').waitFor()
    expect(host.requests.filter((path) => path.includes('/reports/'))).toEqual([])
    expect(tabs.elsewhere).toEqual([])
  },
)

test('links between pages lead to the sandbox, whatever their form', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  const readNext = async (path: string) => {
    const { data, links } = (await ask(page, path)) as {
      data: { id: number }[]
      links: { next: string }
    }
    return { first: data[0]!.id, next: links.next }
  }
  const first = await readNext('api/v1/projects?per_page=5')
  expect(first.next).toMatch(/^\/api\/v1\/projects\?/)
  const second = await readNext(first.next)
  expect(second.first).not.toBe(first.first)
  await command(page, { type: 'policy.set', policies: { 'page-links': 'absolute' } })
  const absolute = await readNext('api/v1/projects?per_page=5')
  expect(absolute.next).toMatch(`${host.url}api/v1/projects?`)
  expect(await readNext(absolute.next)).toMatchObject({ first: second.first })
  expect(host.requests.filter((path) => path.includes('/api/'))).toEqual([])
  expect(tabs.elsewhere).toEqual([])
})

test('a link that nobody made says so, also while a tab is open', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  const { web } = await readLinks(page, PROJECT)
  for (const link of [web.slice(0, -22), web.replace(/.{22}$/, 'x'.repeat(22))]) {
    const { status, type } = await fetchIn(page, link)
    expect({ status, type }).toEqual({ status: 404, type: 'text/html; charset=utf-8' })
  }
  // A link to the API opens outside of any tab that could answer.
  const other = await tabs.context.newPage()
  const response = await other.goto(`${host.url}api/v1/me`)
  expect(response?.status()).toBe(404)
  await other.getByText('This address has no sandbox.').waitFor()
})

test('each tab has a world of its own, whose reports open from its links', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const one = await tabs.open()
  await untilServed(one)
  const other = await tabs.open()
  await untilServed(other)
  expect(await idOf(other)).not.toBe(await idOf(one))
  await one.getByRole('button', { name: '+1 month' }).click()
  await one.getByText('15 Apr, 12:00').first().waitFor()
  expect(await readClock(one)).toBe('2026-04-15T12:00:00.000000Z')
  expect(await readClock(other)).toBe('2026-03-15T12:00:00.000000Z')
  await other.getByText(BEGINNING).first().waitFor()
  const name = 'The clinic of the other tab'
  await command(other, {
    type: 'record.patch',
    collection: 'projects',
    id: PROJECT,
    patch: { name },
  })
  const report = await tabs.context.newPage()
  for (const [tab, isOther] of [
    [other, true],
    [one, false],
  ] as const) {
    const response = await report.goto((await readLinks(tab, PROJECT)).web)
    expect(response?.status()).toBe(200)
    expect((await report.title()).includes(name)).toBe(isOther)
  }
  expect(tabs.complaints).toEqual([])
})

test('a duplicate of a tab begins with a world of its own', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  await tabs.context.addInitScript(
    `try { globalThis.copied = sessionStorage.getItem('seo-sandbox.tab') } catch { /* Nothing is loaded yet. */ }`,
  )
  const page = await tabs.open()
  await untilServed(page)
  await page.getByRole('button', { name: '+1 month' }).click()
  await page.getByText('15 Apr, 12:00').first().waitFor()
  const opening = tabs.context.waitForEvent('page')
  await page.evaluate('void window.open(location.href)')
  const duplicate = await opening
  await untilShown(duplicate)
  const id = await idOf(page)
  expect(await duplicate.evaluate('globalThis.copied')).toBe(id)
  expect(await idOf(duplicate)).not.toBe(id)
  await duplicate.getByText(BEGINNING).first().waitFor()
  expect(await readClock(page)).toBe('2026-04-15T12:00:00.000000Z')
  expect(tabs.complaints).toEqual([])
})

test('a tab that is loaded again has the world that it had', { tags: ['core'] }, async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  const id = await idOf(page)
  await saveWith(page, () => command(page, { type: 'clock.set', now: '2026-05-02T08:00:00Z' }))
  await saveWith(page, () =>
    command(page, { type: 'fault.add', fault: { kind: 'status', status: 503 } }),
  )
  for (let times = 0; times < 3; times += 1) {
    await page.reload()
    await untilShown(page)
    await page.getByText('2 May, 08:00').first().waitFor()
    expect(await idOf(page)).toBe(id)
    expect((await fetchIn(page, 'api/v1/me')).status).toBe(503)
  }
  expect(tabs.complaints.filter((text) => !text.includes('503'))).toEqual([])
})

test('a world that was saved 8 days ago is forgotten, with those of tabs that are gone', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const gone = await tabs.open()
  await untilServed(gone)
  await saveWith(gone, () => command(gone, { type: 'clock.advance', by: 'P1M' }))
  const idOfGone = await idOf(gone)
  await gone.close()
  const page = await tabs.open()
  await saveWith(page, () => command(page, { type: 'clock.advance', by: 'P1M' }))
  expect(await keptIds(page)).toEqual(expect.arrayContaining([idOfGone, await idOf(page)]))
  await age(page, 6)
  await page.reload()
  await page.getByText('15 Apr, 12:00').first().waitFor()
  await age(page, 8)
  await page.reload()
  await page.getByText(BEGINNING).first().waitFor()
  await expect.poll(() => keptIds(page)).not.toContain(idOfGone)
})

test('a world that another release has kept is not continued, and the tab says so', async () => {
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await saveWith(page, () => command(page, { type: 'clock.advance', by: 'P1M' }))
  await changeKept(page, "{ world: { shared: { version: '0.0.1', began_ms: 0, steps: [] } } }")
  await page.reload()
  await page.getByText('The world of this tab comes from another release').first().waitFor()
  await page.getByText(BEGINNING).first().waitFor()
})

test('a release takes over when no other tab has the last one open, and never mixes with it', async () => {
  await using next = await exportSite('--projects', '3', '--title', 'The next release')
  await using host = await openHost(demo.folder)
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  const [first] = await releasesIn(page)
  host.serve(next.folder)
  host.requests.length = 0
  await untilNextWaits(page)
  const installed = host.requests.splice(0)
  // Loads more scripts, in the page and in its worker.
  await run(page)
  const { web } = await readLinks(page, PROJECT)
  const report = await tabs.context.newPage()
  expect((await report.goto(web))?.status()).toBe(200)
  // A newly opened tab gets the release of the existing one.
  const other = await tabs.open()
  expect(await countProjects(other)).toBe(40)
  await run(other)
  await page.reload()
  await untilShown(page)
  expect(await countProjects(page)).toBe(40)
  await run(page)
  expect(host.requests.filter((path) => !path.endsWith('/service-worker.js'))).toEqual([])
  expect(installed.length).toBeGreaterThan(next.files.length - 1)
  await other.close()
  await page.goto(host.url)
  await untilShown(page)
  await expect.poll(() => countProjects(page)).toBe(3)
  await expect.poll(() => releasesIn(page)).toHaveLength(1)
  expect(await releasesIn(page)).not.toContain(first)
  expect(await page.evaluate(`fetch('index.html').then((response) => response.text())`)).toContain(
    '<title>The next release</title>',
  )
  await untilServed(page)
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
  expect((await report.goto((await readLinks(page, PROJECT)).web))?.status()).toBe(200)
  const other = await tabs.open()
  await run(other)
  expect(await readClock(other)).toBe('2026-03-15T12:00:00.000000Z')
  expect(tabs.elsewhere).toEqual([])
  expect(tabs.complaints.filter((text) => !isOfUpdate(text))).toEqual([])
})

/** True for the browser's own check for another release. */
function isOfUpdate(complaint: string): boolean {
  return complaint.includes('service-worker.js')
}

test('a host that leads from index.html to the folder is a host like any other', async () => {
  await using host = await openHost(demo.folder, { hasCleanUrls: true })
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await untilServed(page)
  await page.reload()
  await untilShown(page)
  await run(page)
  expect(tabs.complaints).toEqual([])
})

test('where the browser has no service workers that is said, and all but links works', async () => {
  await using host = await openHost(demo.folder)
  // A host that is neither this machine nor HTTPS.
  const url = `http://demo.example${SITE_PATH}/`
  await using tabs = await visit(url, { proxy: { server: host.proxy } })
  const page = await tabs.open()
  expect(await page.evaluate('isSecureContext')).toBe(false)
  await page.getByText('This browser has no service workers here').waitFor()
  await run(page)
  expect(await ask(page, 'api/v1/me')).toMatchObject({ name: 'Sandbox agency' })
  expect(await ask(page, '/a/demo/api/v1/me')).toMatchObject({ name: 'Sandbox agency' })
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('16 Mar, 12:00').first().waitFor()
  // Requests that do not concern the sandbox go to the host.
  const posted = `fetch(new Request('site.json', { method: 'POST', body: 'x' })).then(({ status }) => status)`
  expect(await page.evaluate(posted)).toBe(200)
  expect(host.requests.filter((path) => /\/(?:api|_sandbox)\//.test(path))).toEqual([])
  expect(tabs.elsewhere).toEqual([])
  expect(tabs.complaints).toEqual([])
})

test('where the service worker cannot store the site that is said, and all but links works', async () => {
  const refused = demo.files.find((file) => file.startsWith('site/unicode-and-html-'))
  await using host = await openHost(demo.folder, { refuses: (file) => file === refused })
  await using tabs = await visit(host.url)
  const page = await tabs.open()
  await page.getByText('links to report pages lead nowhere').waitFor()
  expect(await ask(page, 'api/v1/me')).toMatchObject({ name: 'Sandbox agency' })
})

test('opened as a file it says that it needs a web host', async () => {
  const page = await browser.newPage()
  await page.goto(`file://${demo.folder}/index.html`)
  await page.getByText('This page needs JavaScript and a web host').waitFor()
  expect(await page.locator('body').textContent()).toContain('Any static host will do')
  await page.close()
})

test('neither its title nor its world runs anything', async () => {
  const title = '</title><script>alert(1)</script>'
  const name = '<img src=x onerror=alert(2)>'
  await using site = await exportFixtures(
    {
      version: 1,
      agencies: [{ id: 1, name }],
      tokens: [{ id: 1, token: 'sandbox-agency', agency: 1, name }],
      projects: [
        { id: PROJECT, agency: 1, name, status: 'active', created_at: '2025-12-01T00:00:00Z' },
      ],
    },
    '--title',
    title,
  )
  await using host = await openHost(site.folder)
  await using tabs = await visit(host.url)
  const dialogs: string[] = []
  tabs.context.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const page = await tabs.open()
  await untilServed(page)
  expect(await countProjects(page)).toBe(1)
  for (const panel of ['world', 'connect', 'faults', 'reference']) {
    await page.goto(`${host.url}?panel=${panel}&title=${encodeURIComponent(title)}`)
    await untilShown(page)
    if (panel === 'world') await page.getByText(name).first().waitFor()
    await expect.poll(() => page.locator('body script, img').count()).toBe(0)
  }
  expect(dialogs).toEqual([])
  expect(tabs.elsewhere).toEqual([])
  expect(tabs.complaints).toEqual([])
})

test.each(looks)(
  'nothing is serious for axe in the $theme theme, $width px wide, nor wider than a phone',
  async ({ theme, width }) => {
    await using host = await openHost(demo.folder)
    await using tabs = await visit(host.url, {
      colorScheme: theme,
      viewport: { width, height: 800 },
    })
    const page = await tabs.open()
    await page.getByText('40 projects').first().waitFor()
    await untilServed(page)
    expect(await findSerious(page)).toEqual([])
    expect(await findTooWide(page)).toEqual([])
    expect(tabs.complaints).toEqual([])
  },
)
