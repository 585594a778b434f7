import type { Page } from 'playwright-core'
import { createSandbox } from 'seo-sandbox'
import { expect, test } from 'vitest'
import { runConsoleTest } from '../support/run-console-test.ts'
import { browser, useChromium } from './use-chromium.ts'
import { looks } from './looks.ts'
import { copyBy, findSerious, findSqueezed, openConsole } from './console.ts'
import type { OpenConsole } from './console.ts'

/** The Traffic panel of the console, in Chromium. */

useChromium()

const TRAFFIC = '?panel=traffic'

function ask({ server }: OpenConsole, path: string, token = 'sandbox-agency'): Promise<Response> {
  return fetch(`${server.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } })
}

function rowsOf(page: Page) {
  return page.getByRole('grid').locator('tbody tr[data-index]')
}

test('the request that got the 404 is found, shown and sent again', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page, server } = console
  await ask(console, '/me')
  await rowsOf(page).first().waitFor()
  for (const path of ['/projects/999999', '/projects']) await ask(console, path)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('404')
  await page.getByText('1 of 3 entries').waitFor()
  await rowsOf(page).getByText('/projects/999999').click()
  const detail = page.getByRole('region', { name: 'Request' })
  // The reason in a sentence, the remedy, and the section.
  await detail.getByText('The token sees no such project').waitFor()
  await detail
    .getByText('Ask /projects for those that it sees. Section 4.2 of the specification')
    .waitFor()
  await detail.getByText('"message": ').waitFor()
  await detail.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Sent again: 404, as before').waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('request')).toBe('4')
  expect([...server.sandbox.requests.list({})].at(-1)).toMatchObject({
    path: '/api/v1/projects/999999',
    token: 'Sandbox agency',
    status: 404,
  })
  await detail.getByRole('button', { name: 'Copy as …' }).click()
  await detail.getByText(`curl -i -H 'Authorization: Bearer sandbox-agency'`).waitFor()
  for (const [name, text] of [
    ['TypeScript', 'await fetch('],
    ['PHP', 'file_get_contents('],
    ['Python', 'urllib.request.urlopen('],
  ] as const) {
    await detail.getByRole('tab', { name }).click()
    await detail.getByText(text).waitFor()
  }
  expect(console.complaints.filter((text) => !text.includes('404'))).toEqual([])
})

test(
  'the client is reviewed as its requests come, which are marked, and findings lead to them',
  { tags: ['core'] },
  async () => {
    await using console = await openConsole(browser, { address: TRAFFIC })
    const { page } = console
    await ask(console, '/me')
    const link = page.getByRole('link', { name: 'Review of the client' })
    await link.waitFor()
    await page.getByText('1 notice').waitFor()
    await ask(console, '/projects?agency_id=1')
    const marks = page.getByRole('img', { name: 'agency-filter-scoped' })
    await rowsOf(page)
      .nth(0)
      .and(rowsOf(page).filter({ has: marks }))
      .waitFor()
    await rowsOf(page)
      .nth(0)
      .getByText(/^Request 2 filters by agency_id/)
      .waitFor()
    await expect.poll(() => marks.count()).toBe(1)
    await page.locator('.band').getByText('1 error').waitFor()
    await page.getByRole('button', { name: 'With findings 2' }).click()
    await page.getByText('2 of 2 entries').waitFor()
    await page.getByRole('button', { name: 'All 2' }).click()
    await link.click()
    const review = page.getByRole('region', { name: 'Review of the client' })
    await review.getByText(/security \d+%/).waitFor()
    const finding = page.getByRole('listitem').filter({ hasText: 'Request 2 filters by agency_id' })
    await page.getByRole('heading', { name: 'agency-filter-scoped' }).waitFor()
    await page.getByText('Not exercised: retry-after').waitFor()
    expect(await findSerious(page)).toEqual([])
    // New requests update it.
    await ask(console, '/projects/101/reports/27/content')
    await page.getByRole('heading', { name: 'report-number-range' }).waitFor()
    // Each finding counts, as on Overview, and not only each kind.
    await ask(console, '/projects?agency_id=1&page=2')
    await page.locator('.band').getByText('3 errors').waitFor()
    await ask(console, '/projects/101/reports')
    await ask(console, '/projects/101/reports/3/content')
    await review.getByText(/^Reports: (?=.*\b1 read\b).*\b\d+ not read yet\b/).click()
    await review
      .getByRole('link', { name: /^Report 3 of / })
      .first()
      .waitFor()
    await review.getByText(/^Passed: [a-z, -]+\.$/).waitFor()
    await finding.getByRole('link', { name: '2' }).click()
    const detail = page.getByRole('region', { name: 'Request' })
    await expect.poll(() => new URL(page.url()).searchParams.get('request')).toBe('2')
    await detail.getByText('Request 2 filters by agency_id').waitFor()
    await detail
      .getByText(/Section \d/)
      .last()
      .waitFor()
    await page.goBack()
    await review.waitFor()
    expect(console.complaints).toEqual([])
  },
)

test('a mistyped token is refused in the traffic of the world that its suffix names', async () => {
  await using console = await openConsole(browser)
  const { page, server, show } = console
  const { id, tokens } = await server.sandbox.worlds.create()
  await show(`${TRAFFIC}&world=${id}`)
  const token = tokens['sandbox-agency']!
  // A wrong suffix names no world, and a sentence says so.
  await ask(console, '/me', token.slice(0, -1))
  await page.getByText('Nothing here but a 401? Copy the token again.').waitFor()
  await ask(console, '/me', `x${token}`)
  await rowsOf(page).getByText('The token is unknown').waitFor()
  await page.getByText('1 entry').waitFor()
  expect(console.complaints).toEqual([])
})

test('a token is made to run dry, and the page says when it works again', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page, server } = console
  await ask(console, '/me')
  await page.getByRole('link', { name: 'Limits of all tokens' }).click()
  const limits = page.getByRole('region', { name: 'Limits of all tokens' })
  await limits.getByRole('button', { name: 'Use up its limit, Sandbox agency' }).click()
  await limits
    .locator('.rate-left')
    .getByText(/works again in \d+ s/)
    .waitFor()
  await limits
    .getByRole('meter', { name: 'Requests of Sandbox agency left this minute' })
    .and(page.locator('[aria-valuenow="0"]'))
    .waitFor()
  // Of the requests that used it up, one was refused.
  const refused = [...server.sandbox.requests.list({})].filter(({ status }) => status === 429)
  expect(refused).toHaveLength(1)
  expect((await ask(console, '/me')).status).toBe(429)
  await page.getByText('Sent requests with Sandbox agency until it got a 429').waitFor()
  await page.locator('.band').getByText('0 of 60 left').waitFor()
  const used = 'The token has used up all requests of this minute'
  // Once the review has found the mistake, the list says of the last request that it came too early.
  await rowsOf(page).filter({ hasText: used }).first().waitFor()
  await limits.getByRole('button', { name: /until Sandbox agency works again/ }).click()
  await limits.getByRole('button', { name: 'Use up its limit, Sandbox agency' }).waitFor()
  expect((await ask(console, '/me')).status).toBe(200)
  expect(server.sandbox.world.journal.commands).toHaveLength(1)
  await page.locator('.rail').getByRole('link', { name: 'World' }).click()
  await page.getByRole('searchbox', { name: 'Search projects' }).waitFor()
  expect(new URL(page.url()).searchParams.has('request')).toBe(false)
})

test('requests appear as they come, with what decided them, and commands between them', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page, server } = console
  await page.getByText('No requests yet').waitFor()
  await ask(console, '/projects/101/reports/latest')
  await server.sandbox.clock.advance('P1D')
  await server.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /me' })
  await ask(console, '/me')
  const rows = rowsOf(page)
  await expect.poll(() => rows.count()).toBe(4)
  const heads = page.getByRole('grid').getByRole('columnheader')
  await expect
    .poll(() => heads.allTextContents())
    .toEqual(['No.', 'Status', 'Path after /api/v1', 'ms', 'Time', 'Why'])
  await rows.nth(0).getByText('An armed fault: a 503').waitFor()
  await expect
    .poll(() => rows.nth(0).textContent())
    .toMatch(/^4503\/me[\d.]+\d\d:\d\d:\d\dAn armed fault: a 503$/)
  await expect
    .poll(() => rows.nth(2).textContent())
    .toMatch(/command.*Advanced both clocks by 1 day/)
  await expect
    .poll(() => rows.nth(3).textContent())
    .toMatch(/^1200\/projects.*latest.*The latest completed report/)
  await page.getByText(/^2 requests since .*\d\d:\d\d, 1 of them failed$/).waitFor()
  await rows.nth(3).click()
  await page.getByRole('tab', { name: 'Details' }).click()
  const facts = page.getByRole('region', { name: 'Request' })
  // The codes, on demand.
  await facts.getByText('resource, 4.5(1)').waitFor()
  const reports = facts.getByRole('link', { name: /^Each report of .+, with the reason$/ })
  expect(await reports.getAttribute('href')).toMatch(/panel=world&project=101$/)
  await facts.getByText('Sandbox agency').waitFor()
  await page.getByRole('tab', { name: /^Open questions \d/ }).click()
  const gap = facts.getByRole('listitem').filter({ hasText: 'G-' }).first()
  await expect.poll(() => gap.textContent()).toMatch(/^[A-Z].+: .+ G-\d{3}$/)
  await page.keyboard.press('Escape')
  await facts.waitFor({ state: 'detached' })
  // The reason stays when the fault is disarmed, also after another panel.
  await page.getByRole('link', { name: 'Faults' }).first().click()
  await page.getByRole('button', { name: 'Disarm it, fault 1' }).click()
  await page.getByText('No faults are armed').waitFor()
  await page.getByRole('link', { name: 'Traffic' }).first().click()
  await rows.nth(1).getByText('An armed fault: a 503').waitFor()
  await server.sandbox.reset()
  await page.getByText('1 entry').waitFor()
  await expect.poll(() => rows.first().textContent()).toContain('Reset the world')
  expect(console.complaints.filter((text) => !text.includes('503'))).toEqual([])
})

test('an open question has the answer that decided the response, not that set since', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page, server } = console
  const set = (policies: Record<string, string>) =>
    server.sandbox.command({ type: 'policy.set', policies })
  const opens = async (sequence: number, answer: string): Promise<void> => {
    await console.show(`${TRAFFIC}&project=101&report=2&request=${sequence}`)
    await page.getByRole('tab', { name: /^Open questions/ }).click()
    await page.getByText(`The status of a missing or unknown token: ${answer} G-001`).waitFor()
  }
  await ask(console, '/me', 'nobody')
  await opens(1, 'Unauthorized')
  const gap = page.getByRole('link', { name: 'G-001' })
  expect(await gap.getAttribute('href')).toBe('/?panel=policies&search=G-001')
  await set({ 'missing-token': '403' })
  await ask(console, '/me', 'nobody')
  await opens(3, 'Forbidden')
  await set({ 'G-001': '302' })
  await opens(3, 'Forbidden then; 302 now')
  await opens(1, 'set since, now 302')
  await set({ 'missing-token': '403' })
  await opens(3, 'Forbidden')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Settings' }).waitFor()
  expect(await page.locator('kbd', { hasText: 'Escape' }).count()).toBe(1)
  expect(console.complaints).toEqual([])
})

test('a delay of every response decides nothing, and no request is said to have met a fault', async () => {
  await using console = await openConsole(browser, {
    address: TRAFFIC,
    server: { latency: '1-2' },
  })
  const { page } = console
  await ask(console, '/me')
  const row = rowsOf(page).first()
  await row
    .locator('.minor')
    .last()
    .getByText(/^[\d.]+$/)
    .waitFor()
  const options = page.getByRole('combobox', { name: 'Fault' }).locator('option')
  await expect.poll(() => options.allInnerTexts()).toEqual(['Any fault or none', 'Any fault'])
  await page.getByRole('combobox', { name: 'Fault' }).selectOption('any')
  await page.getByText('0 of 1 entry').waitFor()
  await page.getByRole('button', { name: 'Show all' }).first().click()
  await row.click()
  const facts = page.getByRole('region', { name: 'Request' })
  await page.getByRole('tab', { name: 'Details' }).click()
  await facts.getByText('resource', { exact: true }).waitFor()
  await facts.getByText(/bytes in [\d.]+ m?s, delayed by [12]\.0 ms$/).waitFor()
  await expect.poll(() => facts.getByText('Faults', { exact: true }).count()).toBe(0)
  expect(console.complaints).toEqual([])
})

test('the list begins in the upper third, below a strip with a scale', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page, server } = console
  for (let count = 0; count < 4; count += 1) await ask(console, '/me')
  await rowsOf(page).nth(3).waitFor()
  // Requests of the same second have one tick.
  const ticks = await page.locator('.ticks span').allTextContents()
  expect(new Set(ticks).size).toBe(ticks.length)
  await server.sandbox.clock.advance('P1M')
  await ask(console, '/projects')
  await rowsOf(page).nth(5).waitFor()
  const { y } = (await page.locator('.requests').boundingBox())!
  expect(y).toBeLessThan(800 / 3)
  await expect.poll(() => page.locator('.most').textContent()).toMatch(/^[1-4] in \d+ \w+0$/)
  // The pause of a month is cut short: a tick of another day has its date.
  await expect
    .poll(() => page.locator('.ticks').textContent())
    .toMatch(/^\d\d:\d\d:\d\d\d+ [A-Z][a-z]{2}, \d\d:\d\d$/)
  const places = (): Promise<[start: number, end: number][]> =>
    page.evaluate(`[...document.querySelectorAll('.ticks span')].map((tick) => {
      const { left, right } = tick.getBoundingClientRect()
      return [left, right]
    })`)
  for (const width of [390, 900, 1101, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const [[, end], [start]] = (await places()) as [[number, number], [number]]
    expect(start - end).toBeGreaterThan(4)
  }
  // A row of another day than the latest has its day too.
  await expect.poll(() => rowsOf(page).last().textContent()).toMatch(/\d+ [A-Z][a-z]{2}, \d\d:\d\d/)
})

test('requests are counted from the first of them, and not from a command before it', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  await console.server.sandbox.clock.set('2026-03-16T12:00:00Z')
  await console.server.sandbox.clock.advance('P1M')
  await ask(console, '/me')
  await console.page.getByText(/^1 request since \d\d:\d\d$/).waitFor()
  expect(console.complaints).toEqual([])
})

test('the list keeps its place while it is pointed at, and counts what has come', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page } = console
  for (let count = 0; count < 40; count += 1) await ask(console, '/me', 'sandbox-unlimited')
  const rows = rowsOf(page)
  await page.getByText('40 entries').waitFor()
  await page.getByRole('grid').hover()
  await page.mouse.wheel(0, 400)
  const scrolled = () => page.evaluate('document.querySelector(".table").scrollTop')
  await expect.poll(scrolled).toBe(400)
  await rows.first().and(page.locator('[data-index="3"]')).waitFor()
  const [first] = await rows.allTextContents()
  await ask(console, '/projects/102', 'sandbox-unlimited')
  await ask(console, '/projects/103', 'sandbox-unlimited')
  const more = page.getByRole('button', { name: '2 new requests, show them' })
  await more.waitFor()
  const [bar, table] = [(await more.boundingBox())!, (await page.getByRole('grid').boundingBox())!]
  // The bar is above the table, and has moved nothing.
  expect(bar.y + bar.height).toBeLessThanOrEqual(table.y + 400)
  expect((await rows.allTextContents())[0]).toBe(first)
  await more.click()
  await rows.getByText('/projects/103').waitFor()
  await expect.poll(() => page.getByRole('button', { name: /, show/ }).count()).toBe(0)
})

test('filters and a range of time narrow the list, and the address keeps them', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page } = console
  await ask(console, '/projects/101/keywords')
  await ask(console, '/me', 'sandbox-super')
  await console.server.sandbox.clock.advance('PT1M')
  await ask(console, '/projects/102', 'sandbox-super')
  await page.getByText('4 entries').waitFor()
  const counted = (text: string) => page.getByText(`${text} of 4 entries`).waitFor()
  await page.getByRole('combobox', { name: 'Token' }).selectOption('Sandbox super-admin')
  await counted('2')
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox').fill('PROJECTS 102')
  await counted('1')
  await page.reload()
  await counted('1')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('4 entries, the latest first: 3 requests, 1 command').waitFor()
  await page.getByRole('link', { name: 'Traffic 3' }).waitFor()
  await page.getByRole('slider', { name: 'First time' }).press('End')
  await expect.poll(() => rowsOf(page).count()).toBeLessThan(4)
  await page.getByRole('button', { name: /^Only \d\d:\d\d:\d\d to / }).click()
  await page.getByText('4 entries, the latest first').waitFor()
  const chart = await page.locator('.chart').boundingBox()
  if (!chart) throw new Error('There is no chart.')
  await page.mouse.move(chart.x + 1, chart.y + 20)
  await page.mouse.down()
  await page.mouse.move(chart.x + chart.width / 2, chart.y + 20, { steps: 4 })
  await page.mouse.up()
  await counted('2')
})

test('HAR and session files are saved, and opened to be looked at', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page } = console
  await ask(console, '/projects/101?a=1')
  await ask(console, '/projects/999999')
  await console.server.sandbox.clock.advance('P1D')
  await page.getByText('3 entries').waitFor()
  for (const [button, kind, entries] of [
    ['Save HAR', 'HAR', 2],
    ['Save session', 'session', 3],
  ] as const) {
    await page.getByRole('button', { name: 'Save or open' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    await page.getByRole('button', { name: 'Save or open' }).click()
    await page.getByLabel('Open file').setInputFiles(await download.path())
    await page.getByText(`a ${kind} file with ${entries} entries`).waitFor()
    await rowsOf(page).getByText('/projects/999999').click()
    const detail = page.getByRole('region', { name: 'Request' })
    await detail.getByText('X-RateLimit-Limit').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Send again' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('meter').count()).toBe(0)
    expect(await findSerious(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to the live traffic' }).click()
    await page.getByText('3 entries, the latest first').waitFor()
  }
  expect(console.complaints).toEqual([])
})

test('HAR and session files that are dropped are opened while the server is stopped', async () => {
  await using console = await openConsole(browser)
  const { page, server } = console
  await ask(console, '/projects/999999')
  await page.getByRole('link', { name: 'Traffic 1' }).waitFor()
  const paths = ['requests.har', 'session']
  const files = await Promise.all(
    paths.map(async (path) => (await fetch(`${server.url}/_sandbox/${path}`)).text()),
  )
  await server.close()
  await page.getByText('The server does not respond.').waitFor()
  for (const [index, text] of files.entries()) {
    await drop(page, text)
    await page.getByText(`a ${['HAR', 'session'][index]} file with 1 entries`).waitFor()
    await rowsOf(page).getByText('/projects/999999').click()
    const detail = page.getByRole('region', { name: 'Request' })
    await detail.getByText('X-RateLimit-Limit').waitFor()
  }
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
})

function drop(page: Page, text: string): Promise<unknown> {
  return page.evaluate(`{
    const data = new DataTransfer()
    data.items.add(new File([${JSON.stringify(text)}], 'a.har'))
    dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }))
  }`)
}

test.each([
  ['text', 'This is not JSON, and HAR and session files are.'],
  ['{"a":1}', 'This is neither a HAR file, which has log.entries, nor a session, which has steps.'],
  ['{"log":{"entries":[{}]}}', 'Entry 1 of this HAR file has no method or no URL.'],
])('the file %s is dropped and refused in a sentence', async (text, sentence) => {
  await using console = await openConsole(browser)
  const { page } = console
  await drop(page, text)
  await page.getByRole('heading', { level: 1, name: 'Traffic' }).waitFor()
  await page.getByText(`a.har is not opened. ${sentence}`).waitFor()
  expect(console.complaints).toEqual([])
})

test.each(looks)(
  'nothing is serious for axe, or squeezed, in the $theme theme, $width px wide',
  async ({ theme, width }) => {
    await using console = await openConsole(browser, { address: TRAFFIC, theme, width })
    const { page } = console
    await ask(console, '/projects/101/reports/latest')
    await ask(console, '/nowhere')
    await rowsOf(page).nth(1).waitFor()
    expect(await findSerious(page)).toEqual([])
    expect(await findSqueezed(page)).toEqual([])
    await rowsOf(page).first().click()
    for (const name of ['Response', 'Details', 'Request']) {
      await page.getByRole('tab', { name, exact: true }).click()
      expect(await findSerious(page)).toEqual([])
    }
    await page.getByRole('button', { name: 'Copy as …' }).click()
    expect(await findSerious(page)).toEqual([])
    for (const name of ['review', 'limits']) {
      await console.show(`${TRAFFIC}&request=${name}`)
      await page.locator('.detail :is(.lines, ul)').first().waitFor()
      expect(await findSerious(page)).toEqual([])
      expect(await findSqueezed(page)).toEqual([])
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  },
)

test('a request that met a fault is in the test after the step that armed it, and the test holds', async () => {
  await using console = await openConsole(browser, { address: '?panel=faults' })
  const { page } = console
  await page.locator('.presets').getByRole('button', { name: 'Two 503s' }).click()
  await page.locator('.armed').getByText('The next two requests get a 503').waitFor()
  for (const status of [503, 503, 200]) {
    expect((await ask(console, '/me')).status).toBe(status)
  }
  await page.getByRole('link', { name: 'Traffic 3' }).click()
  const rows = rowsOf(page)
  const detail = page.getByRole('region', { name: 'Request' })
  // The last request did not meet it: that one is sent again, after one that did.
  for (const [index, steps] of [
    [1, 2],
    [0, 3],
  ] as const) {
    await rows.nth(index).click()
    await detail.getByRole('button', { name: 'As a test' }).click()
    await page.getByText(`${steps} steps so far`).waitFor()
    const code = await copyBy(page.getByRole('button', { name: 'Copy the test' }))
    expect(code).toContain('.toBe(503)')
    expect(code.includes('.toBe(200)')).toBe(steps === 3)
    await runConsoleTest(code, createSandbox)
  }
  expect(console.complaints).toEqual([])
})

test('the detail of a 429 says until when to wait, and that the client came back too early', async () => {
  await using console = await openConsole(browser, {
    address: TRAFFIC,
    server: { rateLimit: '2/min' },
  })
  const { page, server } = console
  for (let count = 0; count < 3; count += 1) await ask(console, '/me')
  await rowsOf(page).nth(2).waitFor()
  await rowsOf(page).first().click()
  const detail = page.getByRole('region', { name: 'Request' })
  await detail.getByText('The token has used up all requests of this minute').waitFor()
  await detail
    .getByText(
      /^The token can be used again from \d\d:\d\d:\d\d, \d+ s later\. The token has not been used/,
    )
    .waitFor()
  const reset = Number(await detail.locator('dt:text("x-ratelimit-reset") + dd').textContent())
  const second = new Date(reset * 1000).toISOString().slice(11, 19)
  await detail.getByText(`can be used again from ${second}`).waitFor()
  await ask(console, '/projects')
  await detail
    .getByText(
      /Your client came back after [\d.]+ s, \d+ s too early, with another request, \/api\/v1\/projects, and got 429\.$/,
    )
    .waitFor()
  await server.sandbox.clock.advance('PT2M')
  await page.keyboard.press('k')
  await ask(console, '/projects')
  await detail
    .getByText(/after \d+ s, late enough, with the same request, and got 200\.$/)
    .waitFor()
  // A fault promises nothing about the token.
  await server.sandbox.faults.add({ kind: 'status', status: 429, retry_after: 5 })
  await ask(console, '/me')
  await console.show(`${TRAFFIC}&request=${server.sandbox.world.journal.sequence}`)
  await detail.getByText(/^It asks to wait until \d\d:\d\d:\d\d, 5 s later\./).waitFor()
  expect(console.complaints.filter((text) => !text.includes('429'))).toEqual([])
})

test('no path is cut, at any width, and a reason has a line only where there is one', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page } = console
  const headers = { Authorization: 'Bearer sandbox-agency', Accept: 'application/json' }
  for (const path of ['/me', '/projects/101/reports/27/content', '/projects?per_page=100&page=1'])
    await fetch(`${console.server.url}/api/v1${path}`, { headers })
  await fetch(`${console.server.url}/projects`)
  const rows = rowsOf(page)
  await rows.nth(3).waitFor()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    const cut = await page.evaluate(`[...document.querySelectorAll('.requests td')]
      .filter((cell) => cell.clientWidth > 0 && cell.scrollWidth > cell.clientWidth)
      .map(({ textContent }) => textContent)`)
    expect(cut).toEqual([])
    await rows.nth(2).getByText('2', { exact: true }).waitFor()
  }
  await rows.nth(0).getByText('not below /api/v1: ').waitFor()
  await rows.nth(2).getByText('outside 1 to 26').waitFor()
  const heights = await rows.evaluateAll((all) =>
    all.map((row) => (row as unknown as { offsetHeight: number }).offsetHeight),
  )
  expect(heights[3]).toBeLessThan(40)
  expect(heights[2]).toBeGreaterThan(50)
  for (const width of [1280, 1680]) {
    await page.setViewportSize({ width, height: 800 })
    for (const view of ['1', 'review', 'limits']) {
      await console.show(`${TRAFFIC}&request=${view}`)
      const cells = rows.nth(2).locator('td')
      await cells.nth(0).getByText('2', { exact: true }).waitFor()
      const { width: ofPath } = (await cells.nth(2).boundingBox())!
      const { width: ofTime } = (await cells.nth(4).boundingBox())!
      expect(ofPath).toBeGreaterThan(ofTime)
    }
  }
})

test('on a phone all filters but the search are in a sheet, and their button has their number', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC, width: 390 })
  const { page } = console
  await ask(console, '/me')
  await ask(console, '/nowhere')
  await rowsOf(page).nth(1).waitFor()
  await expect.poll(() => page.getByRole('combobox').count()).toBe(0)
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Filters' })
  await sheet.getByRole('combobox', { name: 'Status' }).waitFor()
  await sheet.getByRole('button', { name: 'Failed 1' }).click()
  await sheet.getByRole('combobox', { name: 'Token' }).selectOption('Sandbox agency')
  expect(await findSerious(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Show the requests' }).click()
  await page.getByText('1 of 2 entries').waitFor()
  await page.getByRole('button', { name: 'Filters · 2' }).waitFor()
})

test('a request becomes a test: it is sent again, and its code is shown', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page } = console
  await ask(console, '/projects/999999')
  await rowsOf(page).first().click()
  const detail = page.getByRole('region', { name: 'Request' })
  await detail.getByRole('button', { name: 'As a test' }).click()
  await page.locator('#code-text').getByText('/api/v1/projects/999999').waitFor()
  expect(console.complaints.filter((text) => !text.includes('404'))).toEqual([])
})

test('of 10,000 requests of two heights only those in view exist, and the last one is reached', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page } = console
  await rowsOf(page).first().waitFor({ state: 'detached' })
  const entries = Array.from({ length: 10_000 }, (_, index) => ({
    request: { method: 'GET', url: `http://a.example/api/v1/projects/${index + 1}` },
    response: { status: index % 3 === 0 ? 404 : 200 },
    _decided_by: index % 3 === 0 ? 'project_not_found' : 'resource',
  }))
  await drop(page, JSON.stringify({ log: { entries } }))
  await page.getByText('10,000 entries, the latest first').waitFor()
  expect(await rowsOf(page).count()).toBeLessThan(60)
  await rowsOf(page).first().focus()
  await page.keyboard.press('End')
  const last = rowsOf(page).and(page.locator('[data-index="9999"]'))
  await last.getByText('/projects/1', { exact: true }).waitFor()
  await expect
    .poll(() => last.evaluate((row) => row === row.ownerDocument.activeElement))
    .toBe(true)
  const { y, height } = (await last.boundingBox())!
  const table = (await page.locator('.table').boundingBox())!
  expect(y + height).toBeLessThanOrEqual(table.y + table.height + 1)
  expect(await rowsOf(page).count()).toBeLessThan(60)
  await page.keyboard.press('Home')
  await rowsOf(page).getByText('/projects/10000', { exact: true }).waitFor()
})
