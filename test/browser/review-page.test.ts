import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toHtml } from '../../src/review/reports/html-page.ts'
import { FAILED, HOSTILE_REVIEW, LARGE, NOTHING } from '../review/some-reviews.ts'
import { browser, useChromium } from './use-chromium.ts'
import { looks } from './looks.ts'

/** The web page of a review in a real browser, opened from a file as a CI job keeps it. */

const REVIEWS = { failed: FAILED, hostile: HOSTILE_REVIEW, large: LARGE, nothing: NOTHING }

useChromium()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-'))
  for (const [name, input] of Object.entries(REVIEWS)) {
    await writeFile(join(folder, `${name}.html`), toHtml(input))
  }
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const addressOf = (name: string) => pathToFileURL(join(folder, `${name}.html`)).href

async function violationsIn(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
  )
}

test.each(Object.keys(REVIEWS).flatMap((name) => looks.map((look) => ({ name, ...look }))))(
  'the review $name has nothing for axe in the $theme theme, and fits in $width pixels',
  async ({ name, theme, width }) => {
    const page = await browser.newPage({ colorScheme: theme, viewport: { width, height: 800 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    await page.goto(addressOf(name))
    expect(complaints).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    const colors = await page.evaluate<string[]>(
      '[getComputedStyle(document.documentElement)].flatMap((style) => [style.color, style.backgroundColor])',
    )
    const [text = 0, ground = 0] = colors.map((color) => Number(/\d+/.exec(color)?.[0]))
    expect(text < ground).toBe(theme === 'light')
    expect(await violationsIn(page)).toEqual([])
    await page.close()
  },
)

test('reads with scripts off, and asks for no other file', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(addressOf('failed'))
  const shown = await page.locator('main').innerText()
  for (const text of [
    'The client failed the review',
    '42 requests: 1 check failed, 1 warning, 1 notice, 1 check passed, 1 not exercised.',
    '#2 GET /api/v1/projects?page=2 no response',
    'npx seo-sandbox review out/review.session.jsonl',
    'never fetched: its content was never fetched after completion',
  ]) {
    expect(shown).toContain(text)
  }
  await page.getByText('Delivered (1)').click()
  await expect
    .poll(() => page.getByRole('region', { name: 'Delivered reports' }).isVisible())
    .toBe(true)
  expect(asked).toEqual([addressOf('failed')])
  await page.close()
})

test('runs no script of a text', { tags: ['core'] }, async () => {
  const page = await browser.newPage()
  let dialogs = 0
  page.on('dialog', (dialog) => {
    dialogs += 1
    return dialog.dismiss()
  })
  await page.goto(addressOf('hostile'))
  expect([dialogs, await page.locator('script').count()]).toEqual([0, 0])
  await page.close()
})

test('prints on paper, from edge to edge', async () => {
  const page = await browser.newPage({ viewport: { width: 700, height: 990 } })
  await page.goto(addressOf('large'))
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect
    .poll(() => page.evaluate('getComputedStyle(document.documentElement).backgroundColor'))
    .toBe('rgb(255, 255, 255)')
  expect((await page.locator('svg').last().boundingBox())?.width).toBeLessThanOrEqual(700)
  expect((await page.pdf({ format: 'A4' })).byteLength).toBeGreaterThan(10_000)
  await page.close()
})
