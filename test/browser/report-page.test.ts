import type { Fixtures } from 'seo-sandbox'
import { startServer } from 'seo-sandbox/server'
import type { SandboxServer } from 'seo-sandbox/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'

/** The web page of a report in a real browser. */

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4)
const FIXTURES: Fixtures = {
  version: 1,
  now: '2026-03-31T12:00:00Z',
  agencies: [{ id: 1, name: LONG }],
  languages: [{ id: 1, label: 'German' }],
  tokens: [{ id: 1, name: 'North', token: 'north', agency: 1 }],
  users: [{ id: 1, name: LONG, role: 'Leitung', agency: 1 }],
  generate: { projects: 1, keywords: 20, reports: 14, locale: 'de' },
  projects: [
    {
      id: 1,
      agency: 1,
      name: LONG,
      status: 'active',
      created_at: 'now-300d',
      domain: `https://${'lang-'.repeat(12)}.example`,
      report_language: 1,
      managing_user: 1,
      keywords: [
        {
          id: 1,
          keyword: LONG,
          create_date: 'now-200d',
          latest_position: 100,
          url: `https://a.example/${LONG}`,
        },
        { id: 2, keyword: 'תיקון אופניים', create_date: 'now-200d', latest_position: 1 },
      ],
      reports: [{ id: 1, report_number: 1, status: 'pending', created_at: 'now-60d' }],
    },
  ],
}

useChromium()
let server: SandboxServer
/** Addresses of two report pages. */
let pages: { hostile: string; generated: string }
beforeAll(async () => {
  server = await startServer({ port: 0, fixtures: FIXTURES })
  await server.sandbox.reports.set(
    { project: 1, report_number: 1 },
    {
      status: 'completed',
      web_link: 'https://reports.sandbox.example/1',
      content: {
        1: [{ h3: LONG, text: '<b>bold</b> '.repeat(300) }],
        2: [{ h3: 'אופניים', text: 'טקסט' }],
      },
    },
  )
  const { links } = await ask<{ links: { report_web: string } }>('1/reports/1/content')
  const generated = await ask<{ web_link: string }>('1001/reports/last-generated')
  pages = { hostile: links.report_web, generated: generated.web_link }
})
afterAll(async () => {
  await server.close()
})

/** Returns the data of the API for a path of a project. */
async function ask<Data>(path: string): Promise<Data> {
  const response = await fetch(`${server.url}/api/v1/projects/${path}`, {
    headers: { authorization: 'Bearer north', accept: 'application/json' },
  })
  return ((await response.json()) as { data: Data }).data
}

const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 320 },
] as const

test.each(
  LOOKS.flatMap((look) => (['hostile', 'generated'] as const).map((name) => ({ ...look, name }))),
)(
  'that is $name fits in $width pixels in the $colorScheme theme, without a complaint',
  { tags: ['core'] },
  async ({ colorScheme, width, name }) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    await page.goto(pages[name])
    expect(complaints).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    const colors = await page.evaluate<string[]>(
      '[getComputedStyle(document.documentElement)].flatMap((style) => [style.color, style.backgroundColor])',
    )
    const [text = 0, ground = 0] = colors.map((color) => Number(/\d+/.exec(color)?.[0]))
    expect(text < ground).toBe(colorScheme === 'light')
    await expect
      .poll(() => page.locator('svg rect').count())
      .toBeGreaterThan(name === 'generated' ? 20 : -1)
    const outside = await page.evaluate<number>(
      `[...document.querySelectorAll('svg, ul, td, th, h1')].filter((each) => each.getBoundingClientRect().right > innerWidth - 20).length`,
    )
    expect(outside).toBe(0)
    await page.close()
  },
)

test(
  'writes from right to left where the text does, and shows markup as text',
  { tags: ['core'] },
  async () => {
    const page = await browser.newPage()
    await page.goto(pages.hostile)
    const directionOf = (id: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${id} h3')).direction`)
    expect([await directionOf('#keyword-1'), await directionOf('#keyword-2')]).toEqual([
      'ltr',
      'rtl',
    ])
    await expect.poll(() => page.locator('b').count()).toBe(0)
    await page.close()
  },
)

test.each(['light', 'dark'] as const)(
  'has the colour of its agency, as readable as other text, in the %s theme and on paper',

  async (colorScheme) => {
    const page = await browser.newPage({ colorScheme })
    await page.goto(pages.generated)
    const colors = () =>
      page.evaluate<string[]>(
        `['.agency', 'svg rect:nth-of-type(2)', 'figure li'].map((selector, index) => getComputedStyle(document.querySelector(selector), index === 2 ? '::before' : null)[['color', 'fill', 'backgroundColor'][index]])`,
      )
    const expected = { light: 'rgb(2, 93, 161)', dark: 'rgb(128, 189, 251)' }
    await expect
      .poll(() => colors())
      .toEqual(Array.from({ length: 3 }, () => expected[colorScheme]))
    await page.emulateMedia({ media: 'print', colorScheme })
    await expect.poll(() => colors()).toEqual(Array.from({ length: 3 }, () => expected.light))
    await page.close()
  },
)

test('prints on paper, without the link to the PDF', async () => {
  const page = await browser.newPage()
  await page.goto(pages.hostile)
  await page.emulateMedia({ media: 'print' })
  await expect.poll(() => page.getByText('PDF', { exact: true }).isVisible()).toBe(false)
  expect((await page.pdf({ format: 'A4' })).byteLength).toBeGreaterThan(10_000)
  await page.close()
})
