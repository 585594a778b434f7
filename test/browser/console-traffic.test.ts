import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { looks } from './looks.ts'
import { findSerious, findSqueezed, openConsole } from './console.ts'
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
  await detail.getByText('The token sees no such project').waitFor()
  await detail.getByText('"message": ').waitFor()
  await detail.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Sent again: 404, as before').waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('request')).toBe('4')
  expect([...server.sandbox.requests.list({})].at(-1)).toMatchObject({
    path: '/api/v1/projects/999999',
    token: 'Sandbox agency',
    status: 404,
  })
  await detail.getByRole('tab', { name: 'Copy as' }).click()
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
    await page.getByText(/Review of the client · requests \d+ % · security 100 %/).waitFor()
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
    await page.getByText(/Review of the client · .*security 100 %/).click()
    const finding = page.getByRole('listitem').filter({ hasText: 'Request 2 filters by agency_id' })
    await page.getByRole('heading', { name: 'agency-filter-scoped' }).waitFor()
    await page.getByText('Not exercised: retry-after').waitFor()
    expect(await findSerious(page)).toEqual([])
    // It is read again as requests come.
    await ask(console, '/projects/101/reports/27/content')
    await page.getByRole('heading', { name: 'report-number-range' }).waitFor()
    await finding.getByRole('link', { name: '2' }).click()
    const detail = page.getByRole('region', { name: 'Request' })
    await expect.poll(() => new URL(page.url()).searchParams.get('request')).toBe('2')
    await detail.getByRole('tab', { name: 'Details' }).click()
    await detail.getByText('Request 2 filters by agency_id').waitFor()
    expect(console.complaints).toEqual([])
  },
)

test('a token is made to run dry, and the page says when it works again', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page, server } = console
  await page.getByText('Rate limits', { exact: true }).click()
  await page.getByRole('button', { name: 'Use it up, Sandbox agency' }).click()
  await page.getByText(/works again in \d+ s/).waitFor()
  await page
    .getByRole('meter', { name: 'Minute of Sandbox agency' })
    .and(page.locator('[aria-valuenow="0"]'))
    .waitFor()
  expect((await ask(console, '/me')).status).toBe(429)
  await page.getByText('Sent requests with Sandbox agency until it got a 429').waitFor()
  await page.getByText('Rate limits · Sandbox agency has 0 of 60 left this minute').waitFor()
  const used = 'The token has used up all requests of this minute'
  // The list says of the last request that it came too early, once the review has found that.
  await rowsOf(page).filter({ hasText: used }).first().waitFor()
  await page.getByRole('button', { name: /when Sandbox agency works again/ }).click()
  await page.getByRole('button', { name: 'Use it up, Sandbox agency' }).waitFor()
  expect((await ask(console, '/me')).status).toBe(200)
  expect(server.sandbox.world.journal.commands).toHaveLength(1)
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
    .toEqual(['Method', 'Status', 'Path', 'Duration', 'Why', 'Time'])
  await rows.nth(0).getByText('An armed fault: a 503').waitFor()
  await expect.poll(() => rows.nth(0).textContent()).toMatch(/^GET503.*\/me\d.* ms/)
  await expect.poll(() => rows.nth(2).textContent()).toMatch(/command.*clock\.advance by P1D/)
  await expect
    .poll(() => rows.nth(3).textContent())
    .toMatch(/^GET200.*latest.*The latest completed report/)
  await rows.nth(3).click()
  await page.getByRole('tab', { name: 'Details' }).click()
  const facts = page.getByRole('region', { name: 'Request' })
  // The codes, on demand.
  await facts.getByText('resource, 4.5(1)').waitFor()
  await facts.getByText('Sandbox agency').waitFor()
  const gap = facts.getByRole('listitem').filter({ hasText: 'G-' }).first()
  await expect.poll(() => gap.textContent()).toMatch(/^[A-Z].+: .+ G-\d{3}$/)
  await page.keyboard.press('Escape')
  await facts.waitFor({ state: 'detached' })
  await server.sandbox.reset()
  await page.getByText('1 entry').waitFor()
  await expect.poll(() => rows.first().textContent()).toContain('reset')
  expect(console.complaints.filter((text) => !text.includes('503'))).toEqual([])
})

test('a delay of every response decides nothing, and no request is said to have met a fault', async () => {
  await using console = await openConsole(browser, {
    address: TRAFFIC,
    server: { latency: '1-2' },
  })
  const { page } = console
  await ask(console, '/me')
  const row = rowsOf(page).first()
  await row.getByText(/^[\d.]+ m?s$/).waitFor()
  const options = page.getByRole('combobox', { name: 'Fault' }).locator('option')
  await expect.poll(() => options.allInnerTexts()).toEqual(['Any fault or none', 'Any fault'])
  await page.getByRole('combobox', { name: 'Fault' }).selectOption('any')
  await page.getByText('0 of 1 entry').waitFor()
  await page.getByRole('button', { name: 'Show all' }).first().click()
  await row.click()
  const facts = page.getByRole('region', { name: 'Request' })
  await facts.getByText('Served as asked').waitFor()
  await page.getByRole('tab', { name: 'Details' }).click()
  await facts.getByText(/bytes in [\d.]+ m?s, delayed by [12]\.0 ms$/).waitFor()
  await expect.poll(() => facts.getByText('Faults', { exact: true }).count()).toBe(0)
  expect(console.complaints).toEqual([])
})

test('the list begins in the upper third, below a strip with a scale', async () => {
  await using console = await openConsole(browser, { address: TRAFFIC })
  const { page, server } = console
  for (let count = 0; count < 4; count += 1) await ask(console, '/me')
  await server.sandbox.clock.advance('P1M')
  await ask(console, '/projects')
  await rowsOf(page).nth(5).waitFor()
  const { y } = (await page.locator('.requests').boundingBox())!
  expect(y).toBeLessThan(800 / 3)
  await expect.poll(() => page.locator('.most').textContent()).toMatch(/^[1-4]0$/)
  // The pause of a month is cut short: a tick of another day has its date.
  await expect
    .poll(() => page.locator('.ticks').textContent())
    .toMatch(/^\d\d:\d\d:\d\d\d+ [A-Z][a-z]{2} \d{4}$/)
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
  await page.getByRole('button', { name: '2 new' }).waitFor()
  expect((await rows.allTextContents())[0]).toBe(first)
  await page.getByRole('button', { name: '2 new' }).click()
  await rows.getByText('/projects/103').waitFor()
  await expect.poll(() => page.getByRole('button', { name: /new$/ }).count()).toBe(0)
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
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    await page.getByLabel('Open file').setInputFiles(await download.path())
    await page.getByText(`a ${kind} file with ${entries} entries`).waitFor()
    await rowsOf(page).getByText('/projects/999999').click()
    const detail = page.getByRole('region', { name: 'Request' })
    await detail.getByText('X-RateLimit-Limit').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Send again' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('region', { name: 'Rate limits' }).count()).toBe(0)
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

/** Drops a file on the page. */
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
    for (const name of ['Response', 'Details', 'Request', 'Copy as']) {
      await page.getByRole('tab', { name, exact: true }).click()
      expect(await findSerious(page)).toEqual([])
    }
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  },
)
