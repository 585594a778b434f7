import { startServer } from 'seo-sandbox/server'
import { afterAll, expect, test } from 'vitest'
import { findChromium, launchChromium } from './chromium.ts'

/** The web page of a report in a real browser. */

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4)
const server = await startServer({
  port: 0,
  fixtures: {
    version: 1,
    agencies: [{ id: 1, name: 'North' }],
    languages: [{ id: 1, label: 'German' }],
    tokens: [{ id: 1, name: 'North', token: 'north', agency: 1 }],
    projects: [
      {
        id: 1,
        agency: 1,
        name: LONG,
        status: 'active',
        created_at: 'now-300d',
        domain: `https://${'lang-'.repeat(12)}.example`,
        report_language: 1,
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
  },
})
afterAll(() => server.close())
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
const response = await fetch(`${server.url}/api/v1/projects/1/reports/1/content`, {
  headers: { authorization: 'Bearer north', accept: 'application/json' },
})
const { data } = (await response.json()) as { data: { links: { report_web: string } } }

const browser = await launchChromium(findChromium(process.env))
afterAll(() => browser.close())

test.each(
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [320, 390, 1280].map((width) => ({ colorScheme, width })),
  ),
)(
  'fits in $width pixels in the $colorScheme theme, without a complaint',
  async ({ colorScheme, width }) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    await page.goto(data.links.report_web)
    expect(complaints).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    const colors = await page.evaluate<string[]>(
      '[getComputedStyle(document.documentElement)].flatMap((style) => [style.color, style.backgroundColor])',
    )
    const [text = 0, ground = 0] = colors.map((color) => Number(/\d+/.exec(color)?.[0]))
    expect(text < ground).toBe(colorScheme === 'light')
    await page.close()
  },
)

test('writes from right to left where the text does, and shows markup as text', async () => {
  const page = await browser.newPage()
  await page.goto(data.links.report_web)
  const directionOf = (id: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${id} h3')).direction`)
  expect([await directionOf('#keyword-1'), await directionOf('#keyword-2')]).toEqual(['ltr', 'rtl'])
  expect(await page.locator('b').count()).toBe(0)
  await page.close()
})

test('prints on paper, without the link to the PDF', async () => {
  const page = await browser.newPage()
  await page.goto(data.links.report_web)
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByText('PDF', { exact: true }).isVisible()).toBe(false)
  expect((await page.pdf({ format: 'A4' })).byteLength).toBeGreaterThan(10_000)
  await page.close()
})
