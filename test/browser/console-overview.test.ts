import { get } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { copyBy, findSerious, findSqueezed, openConsole } from './console.ts'
import { looks } from './looks.ts'
import type { Overview } from '../../src/world/overview.ts'
import type { ServerOptions } from 'seo-sandbox/server'

/** The first panel of the console: an agency, its month, and the next changes. */

useChromium()

const DEMO = { server: { demo: true } }

const card = (page: Page, title: string) =>
  page.locator('.section', { has: page.getByRole('heading', { name: title }) })

/** Sends a request as a client does, with a name of its own. */
function call(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}

test.each(looks)(
  'the demo in the $theme theme, $width px wide: nothing serious for axe, nothing wider than the screen or squeezed',
  async ({ theme, width }) => {
    await using console = await openConsole(browser, { ...DEMO, theme, width })
    const { page } = console
    await page.getByRole('heading', { name: 'Worth a look' }).waitFor()
    expect(await findSerious(page)).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await findSqueezed(page)).toEqual([])
    expect(console.complaints).toEqual([])
  },
)

test('the demo is an agency with its projects by health, its month and its positions', async () => {
  await using console = await openConsole(browser, DEMO)
  const { page, server } = console
  const { records } = server.sandbox.world
  const [agency] = records.all('agencies')
  await page.getByRole('heading', { level: 1, name: agency!.name }).waitFor()
  await page.getByText('March 2026 · 40 projects, 1 inactive').waitFor()
  const month = page.getByRole('region', { name: 'Reports of March 2026' })
  await month
    .getByText(
      /^The March report has been sent to \d+ of 39 customers\. One report failed, one is 12 days late so far\.$/,
    )
    .waitFor()
  for (const text of ['sent', 'approved', 'to approve', 'still due', 'late', 'failed'])
    await month.getByText(text, { exact: true }).waitFor()
  const figures = await month.locator('dd').allInnerTexts()
  expect(figures.reduce((sum, figure) => sum + Number(figure), 0)).toBe(39)
  const attention = card(page, 'Needs attention')
  await attention
    .getByText(/^Late: some of its texts are not written yet\. It will be ready on \d+ Mar 2026/)
    .waitFor()
  await attention
    .getByText(
      /^Its texts could not be written, and it has to be tried again\. It failed on \d+ Mar/,
    )
    .waitFor()
  const late = records.get('projects', 1004)!
  await attention.getByRole('link', { name: late.name }).click()
  await page.getByRole('heading', { level: 1, name: late.name }).waitFor()
  await page.goBack()
  const positions = card(page, 'Keywords on the first page of results')
  await positions.getByText(/^of \d+ keywords; \d+% of \d+ in March 2025\.$/).waitFor()
  await positions
    .getByRole('img', {
      name: /^Share of keywords on the first page of results: \d+% in Mar 2025, \d+% in Mar 2026$/,
    })
    .waitFor()
  expect(console.complaints).toEqual([])
})

test('what happens next is listed by day, with the change of the main button marked, and goes to each', async () => {
  await using console = await openConsole(browser, DEMO)
  const { page, server } = console
  const next = card(page, 'What happens next')
  const lines = next.getByRole('listitem')
  await expect.poll(() => lines.count()).toBe(10)
  await next
    .getByRole('heading', { name: /^T(?:oday|omorrow), / })
    .first()
    .waitFor()
  const response = await fetch(`${server.url}/_sandbox/agencies/1/overview`)
  const { next: change } = (await response.json()) as Overview
  const name = server.sandbox.world.records.get('projects', change!.project)!.name
  const marked = next.locator('[aria-current=step]')
  await expect
    .poll(() => marked.innerText())
    .toContain(`${name}: report ${change!.report_number} is completed`)
  const main = page.getByRole('button', { name: /^Go to \d+ Mar, \d\d:\d\d Report/ })
  expect(await main.innerText()).toContain(
    `Report ${change!.report_number} of ${name} is completed`,
  )

  const [first] = await lines.allInnerTexts()
  const go = lines.first().getByRole('button')
  const [, at] = /^Go to (\d+ Mar 2026 \d\d:\d\d), report \d+ of .+ is /.exec(
    (await go.getAttribute('aria-label'))!,
  )!
  await go.click()
  await page.getByTitle(`World clock ${at}:00`).waitFor()
  expect(server.sandbox.clock.read().now).toBe(
    new Date(`${at} UTC`).toISOString().replace('Z', '000Z'),
  )
  await expect.poll(async () => (await lines.allInnerTexts())[0]).not.toBe(first)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await lines.allInnerTexts())[0]).toBe(first)
  await main.click()
  await expect.poll(() => server.sandbox.clock.read().now).toBe(change!.at)
  expect(console.complaints).toEqual([])
})

type ReportInput = Record<string, string>

/** A world with a project for each list of reports, which move by commands alone. */
function manual(...reports: ReportInput[][]): ServerOptions {
  const project = { agency: 1, status: 'active', created_at: '2025-01-01T00:00:00Z' } as const
  const names = ['Nordlys', 'Havnens Bageri']
  const fixtures = {
    version: 1,
    progress: { mode: 'manual' },
    agencies: [{ id: 1, name: 'North' }],
    projects: reports.map((own, index) => ({
      ...project,
      id: 101 + index,
      name: names[index],
      reports: own.map((report, at) => ({
        id: 10 * index + at + 1,
        report_number: at + 1,
        created_at: '2026-02-01T00:00:00Z',
        ...report,
      })),
    })),
  }
  return { fixtures: fixtures as never }
}

const due = (date_to_create_texts: string, status = 'pending') => ({ date_to_create_texts, status })
const MARCH = due('2026-03-05', 'completed')
const ONE_PROJECT = manual([MARCH, due('2026-04-05')])
const demoAt = (now: string): ServerOptions => ({ demo: true, now })

test.each<[world: string, options: ServerOptions, change: RegExp, advanceBy?: string]>([
  ['the demo', DEMO.server, /^17 Mar, 05:55 Report \d+ of .+ is completed$/],
  ['a month later', DEMO.server, /^1[5-9] Apr, .+ is completed$/, 'P1M'],
  [
    'a failed report',
    DEMO.server,
    /^19 Mar, 12:30 Report 14 of Lincoln .+ is completed$/,
    'P3DT20H',
  ],
  ['a late report', DEMO.server, /^21 Mar, 12:00 Report 11 of Brown .+ is completed$/, 'P5DT22H'],
  ['the last evening of a month', demoAt('2026-11-30T22:00:00Z'), /^1 Dec, 00:00 Report/],
  ['the last minute of a year', demoAt('2026-12-31T23:59:00Z'), /^1 Jan 2027, 00:00 Report/],
  ['one project', ONE_PROJECT, /^1 Apr, 00:00 Report 2 of Nordlys becomes latest$/],
  ['a running clock', { ...ONE_PROJECT, frozen: false }, /^1 Apr, 00:00 Report 2 of Nordlys/],
  [
    'months of a time zone',
    { ...ONE_PROJECT, policies: { 'month-time-zone': 'Europe/Copenhagen' } },
    /^31 Mar, 22:00 Report 2 of Nordlys becomes latest$/,
  ],
  ['a project without a next report', manual([MARCH]), /Nordlys loses its latest report$/],
  [
    'changes that no client sees',
    { seed: 'h', generate: { projects: 1 } },
    /^17 Mar 2027 .+ is approved$|^17 Mar, .+ is approved$/,
    'P1Y',
  ],
  [
    'reports that move by commands',
    manual([due('2026-03-20')]),
    /^Reports move by commands alone$/,
  ],
  ['no projects', manual(), /^There are no projects$/],
])(
  'with %s, the main button, the list of what happens next and World name the same change',
  async (_, options, change, advanceBy) => {
    await using console = await openConsole(browser, { server: options })
    const { page, server } = console
    if (advanceBy !== undefined) await server.sandbox.clock.advance(advanceBy)
    const main = page.locator('.button.go')
    const read = async () => (await main.innerText()).replace(/\s+/g, ' ')
    const toWhat = (text: string) => text.replace(/^(?:Go to|Nothing ahead) /, '')
    await expect.poll(async () => toWhat(await read())).toMatch(change)
    const said = await read()
    const next = card(page, 'What happens next')
    const marked = page.locator('[aria-current=step]')
    if (!said.startsWith('Go to')) {
      expect(await marked.count()).toBe(0)
      return
    }
    const [, at = '', time = '', words = ''] =
      /^Go to (\d+ \w+(?: \d{4})?),? (\d\d:\d\d) (.+)$/.exec(said)!
    const [, report, name = '', verb = ''] =
      /^(?:Report (\d+) of )?(.+) (becomes latest|loses its latest report|is .+)$/.exec(words)!
    const event = report === undefined ? `${name} ${verb}` : `${name}: report ${report} ${verb}`
    await expect.poll(() => marked.innerText()).toContain(event)
    expect(await marked.innerText()).toContain(time)
    const day = next.locator('section', { has: marked }).getByRole('heading')
    expect(await day.innerText()).toContain(at)
    await marked.getByRole('link', { name }).click()
    if (verb === 'is completed') {
      await page.getByRole('button', { name: `Report ${report},` }).click()
      await page.locator('.report p').getByText(at).first().waitFor()
    } else if (!verb.startsWith('is ')) {
      const then =
        report === undefined ? 'latest becomes a 404' : `report ${report}, [^.]+, becomes latest`
      await page
        .locator('.until', { hasText: new RegExp(`Then ${then}`) })
        .getByText(time)
        .first()
        .waitFor()
    }
    expect(console.complaints).toEqual([])
  },
)

test('a running clock that comes to another month shows that month', async () => {
  const report = { id: 1, report_number: 1, created_at: '2026-03-01T00:00:00Z' }
  const project = { id: 101, agency: 1, name: 'Havnens Bageri', status: 'active' }
  await using console = await openConsole(browser, {
    server: {
      fixtures: {
        version: 1,
        progress: { mode: 'time' },
        agencies: [{ id: 1, name: 'North' }],
        projects: [
          {
            ...project,
            created_at: '2025-01-01T00:00:00Z',
            reports: [{ ...report, status: 'pending', date_to_create_texts: '2026-05-20' }],
          },
        ],
      },
    },
  })
  const { page, server } = console
  await page.getByText('March 2026 · 1 project').waitFor()
  const response = await fetch(`${server.url}/_sandbox/agencies/1/overview`)
  const { changes, next_month } = (await response.json()) as Overview
  // Nothing else happens before the month ends.
  expect(changes[0]!.at > next_month!.at).toBe(true)
  await fetch(`${server.url}/_sandbox/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ now: '2026-03-31T23:59:58Z', frozen: false }),
  })
  await page.getByText('April 2026 · 1 project').waitFor()
  await page.getByText('No report is due in April.').waitFor()
  expect(console.complaints).toEqual([])
})

test('the end of a month says which projects lose their latest report', async () => {
  const project = { agency: 1, status: 'active', created_at: '2025-01-01T00:00:00Z' }
  const report = { report_number: 1, created_at: '2026-02-20T00:00:00Z' }
  const march = { ...report, status: 'completed', date_to_create_texts: '2026-03-05' } as const
  const april = { report_number: 2, created_at: '2026-03-06T00:00:00Z', status: 'pending' } as const
  await using console = await openConsole(browser, {
    server: {
      fixtures: {
        version: 1,
        progress: { mode: 'manual' },
        agencies: [{ id: 1, name: 'North' }],
        projects: [
          { ...project, id: 101, name: 'Havnens Bageri', reports: [{ ...march, id: 1 }] },
          {
            ...project,
            id: 102,
            name: 'Nordlys',
            reports: [
              { ...march, id: 2 },
              { ...april, id: 3, date_to_create_texts: '2026-04-05' },
            ],
          },
        ],
      },
    },
  })
  const { page } = console
  await page.getByText(/^The March report has been sent to none of 2 customers\. /).waitFor()
  await card(page, 'What happens next')
    .getByText(
      /^April 2026 begins\. Havnens Bageri loses its latest report\. 1 other project gets a new latest report\.$/,
    )
    .waitFor()
  await page
    .getByRole('button', { name: 'Go to 1 Apr, 00:00 Havnens Bageri loses its latest report' })
    .waitFor()
  expect(console.complaints).toEqual([])
})

test('situations of the demo are those of its start, and lead to their projects', async () => {
  await using console = await openConsole(browser, DEMO)
  const { page } = console
  await page.getByText('late: a report that was due 12 days ago').waitFor()
  await page
    .getByRole('heading', { name: 'Worth a look, as they were at the start', exact: true })
    .waitFor()
  const late = page.locator('.showcase').getByText(/^(?:late|failing):/)
  expect(await late.count()).toBe(2)
  await console.server.sandbox.clock.set('2026-12-31T12:00:00Z')
  await expect.poll(() => late.count()).toBe(0)
  await page.locator('.showcase a').first().click()
  await page
    .getByRole('link', { name: /^World/ })
    .and(page.locator('[aria-current]'))
    .waitFor()
  expect(page.url()).toMatch(/project=1\d\d\d/)
})

test('it waits for a client, with what that needs, then names it with its first mistakes', async () => {
  await using console = await openConsole(browser)
  const { page, server, show } = console
  const client = page.getByRole('region', { name: 'The API' })
  await client.getByText('Waiting for a first request').waitFor()
  const base = await copyBy(client.getByRole('button', { name: 'Copy the base URL', exact: true }))
  const token = await copyBy(client.getByRole('button', { name: 'Copy the token', exact: true }))
  // A request of this page does not count as a client's.
  await show('?panel=connect')
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
  await page.getByRole('button', { name: 'Send this request' }).click()
  await page.getByText('x-ratelimit-remaining').waitFor()
  await show('')
  const browserHeaders = { 'user-agent': 'Mozilla/5.0' }
  await call(`${server.url}/favicon.ico`, browserHeaders)
  await page.getByRole('link', { name: 'Traffic 2' }).waitFor()
  await client.getByText('Waiting for a first request').waitFor()

  const authorization = `Bearer ${token}`
  const headers = { accept: 'application/json', 'user-agent': 'their-client/1.2' }
  await call(`${base}/projects/101`, { ...headers, authorization })
  await client.getByText('their-client/1.2').waitFor()
  await client.getByRole('link', { name: 'No findings in the review' }).waitFor()
  await client.getByText('GET /api/v1/projects/101').waitFor()
  await call(`${server.url}/apple-touch-icon.png`, browserHeaders)
  await page.getByRole('link', { name: 'Traffic 4' }).waitFor()
  await client.getByText('GET /api/v1/projects/101').waitFor()
  await call(`${base}/nowhere`, headers)
  await client.getByRole('link', { name: /^\d+ findings? in the review$/ }).waitFor()
  await client.getByRole('link', { name: '404 GET /api/v1/nowhere' }).click()
  await page.getByRole('region', { name: 'Request' }).getByText('/api/v1/nowhere').first().waitFor()
  await server.sandbox.reset()
  await show('')
  await client.getByText('Waiting for a first request').waitFor()
  expect(console.complaints).toEqual([])
})

test('an agency is chosen where there are several', async () => {
  await using console = await openConsole(browser)
  const { page } = console
  await page.getByRole('heading', { level: 1, name: 'Klitrose Synlighed' }).waitFor()
  await page.getByLabel('Choose an agency').selectOption('Agentur Wiesenkauz')
  await page.getByRole('heading', { level: 1, name: 'Agentur Wiesenkauz' }).waitFor()
  expect(new URL(page.url()).searchParams.get('agency')).toBe('2')
  await card(page, 'What happens next')
    .getByText(/^April 2026 begins\. .+: report \d+ becomes latest\. /)
    .waitFor()
  await card(page, 'Keywords on the first page of results')
    .getByText('Earlier positions of keywords in fixtures are not known.')
    .waitFor()
  expect(console.complaints).toEqual([])
})

test('a project without reports gets its first one', async () => {
  const project = { id: 101, agency: 1, name: 'Havnens Bageri', status: 'active' }
  await using console = await openConsole(browser, {
    server: {
      fixtures: {
        version: 1,
        agencies: [{ id: 1, name: 'North' }],
        projects: [{ ...project, created_at: '2025-01-01T00:00:00Z' }],
      },
    },
  })
  const { page, server } = console
  await page.getByText('No reports yet').waitFor()
  await page.getByRole('button', { name: 'Create report 1 of Havnens Bageri' }).click()
  await page.getByText('Nothing needs attention.').waitFor()
  expect(server.sandbox.world.records.reportsOf(101)).toHaveLength(1)
  expect(console.complaints).toEqual([])
})

test('an empty world offers the demo, which is served after asking', async () => {
  await using console = await openConsole(browser, { server: { fixtures: { version: 1 } } })
  const { page } = console
  await page.getByRole('button', { name: 'Serve the demo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rebuild it' }).click()
  await page.getByText('March 2026 · 40 projects').waitFor()
  await page.getByRole('heading', { name: 'Worth a look' }).waitFor()
  expect(console.complaints).toEqual([])
})
