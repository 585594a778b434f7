import type { Locator, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { findSerious, openConsole } from './console.ts'
import type { OpenConsole } from './console.ts'

/** The main action of every panel, done with the keyboard alone, and visible in another page at once. */

useChromium()

/** Maximum number of Tab presses on the way to a control. */
const MOST_TABS = 60

/** Moves the focus to a control by Tab, and checks that the focus is visible all the way. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    await page.keyboard.press('Tab')
    const isVisible = await page.evaluate(
      `(({ activeElement: element, body }) =>
        element === body || getComputedStyle(element).outlineStyle !== 'none')(document)`,
    )
    expect(isVisible).toBe(true)
    if ((await target.and(page.locator(':focus')).count()) === 1) return
  }
  throw new Error(`${MOST_TABS} times Tab lead past ${String(target)}.`)
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, page.getByRole('button', { name, exact: true }))
  await page.keyboard.press('Enter')
}

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.press('/')
  await page.locator('input:focus').waitFor()
  await page.keyboard.type(text)
}

/** Waits until the tokens have loaded: before, requests are sent without one. */
async function untilTokensAreThere(page: Page): Promise<void> {
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
}

interface PanelCase {
  panel: string
  /** Prepares the world, which so far has had one request. */
  prepare?: (console: OpenConsole) => Promise<unknown>
  /** Performs the main action of the panel with the keyboard alone. */
  act: (page: Page) => Promise<void>
  /** Content of both pages after the action, and of neither before. */
  seen: (page: Page) => Locator
}

const CASES: readonly PanelCase[] = [
  {
    panel: 'overview',
    act: async (page) => {
      await press(page, 'Go to 1 Apr 2026 00:00, April 2026 begins')
      await page.getByTitle('World clock 1 Apr 2026 00:00:00').waitFor()
      await tabTo(page, page.getByRole('button', { name: 'Begin the tour: The token runs dry' }))
      await page.keyboard.press('Enter')
    },
    seen: (page) => page.getByText('April 2026 · 12 projects'),
  },
  {
    panel: 'connect',
    act: async (page) => {
      await untilTokensAreThere(page)
      await press(page, 'Send this request')
      await page.getByLabel('Body', { exact: true }).getByText('"current_page": 1').waitFor()
    },
    seen: (page) => page.locator('.tokens').getByText('59 requests left this minute'),
  },
  {
    panel: 'world',
    act: async (page) => {
      await tabTo(page, page.getByRole('button', { name: 'Report 3, completed' }))
      await page.keyboard.press('ArrowDown')
      await page.getByRole('heading', { name: 'Report 4 · pending' }).waitFor()
      await press(page, 'Start')
    },
    seen: (page) => page.getByRole('button', { name: 'Report 4, being written' }),
  },
  {
    panel: 'traffic',
    act: async (page) => {
      await search(page, 'nowhere')
      await tabTo(page, page.getByRole('row', { name: '/nowhere' }))
      await page.keyboard.press('Enter')
      await press(page, 'Send again')
      await page.getByText('Sent again: 404, as before').waitFor()
    },
    seen: (page) => page.getByText('2 entries').or(page.getByText('2 of 2 entries')),
  },
  {
    panel: 'faults',
    act: (page) => press(page, 'Arm this fault'),
    seen: (page) => page.locator('.armed', { hasText: 'gets a 503' }),
  },
  {
    panel: 'policies',
    act: async (page) => {
      await search(page, 'G-001')
      await page.getByText('1 of ').waitFor()
      await tabTo(page, page.getByLabel('missing-token'))
      await page.keyboard.press('ArrowDown')
      await tabTo(page, page.getByRole('button', { name: 'Back to 401' }))
    },
    seen: (page) =>
      page
        .getByLabel('missing-token')
        .filter({ has: page.locator('option:checked', { hasText: '403' }) }),
  },
  {
    panel: 'scenarios',
    prepare: ({ server }) => server.sandbox.clock.set('2026-05-01T00:00:00Z'),
    act: async (page) => {
      await press(page, 'Reset the world')
      await press(page, 'Reset it')
      await page.getByText('The world is as it was loaded.').waitFor()
      await page.locator('main button:focus', { hasText: 'Reset the world' }).waitFor()
    },
    seen: (page) => page.locator('.clock', { hasText: '15 Mar, 12:00' }),
  },
  {
    panel: 'reference',
    act: async (page) => {
      await tabTo(page, page.getByRole('link', { name: '/countries', exact: true }))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /countries/i }).waitFor()
      await untilTokensAreThere(page)
      await press(page, 'Send this request')
      await page.locator('.response .state', { hasText: '200' }).waitFor()
    },
    seen: (page) => page.getByRole('link', { name: 'Traffic 2' }),
  },
]

test.each(CASES)(
  'the panel $panel is used by the keyboard alone, another page shows that at once, and axe finds nothing serious',
  async ({ panel, prepare, act, seen }) => {
    const address = `?panel=${panel}`
    await using console = await openConsole(browser, { address })
    const { page, server, open, context, complaints } = console
    await fetch(`${server.url}/api/v1/nowhere`)
    await page.getByRole('link', { name: 'Traffic 1' }).waitFor()
    let streams = 0
    context.on('request', (request) => {
      if (request.url().includes('/requests/stream')) streams += 1
    })
    const other = await open(address)
    await other.getByRole('link', { name: 'Traffic 1' }).waitFor()
    await prepare?.(console)
    await page.bringToFront()
    for (const each of [page, other]) await expect.poll(() => seen(each).count()).toBe(0)
    await act(page)
    for (const each of [page, other]) await seen(each).waitFor()
    expect(streams).toBe(0)
    await page.keyboard.press('c')
    await page.locator('#code-text').waitFor()
    expect(await findSerious(page)).toEqual([])
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
  },
)

test('a panel stays as it is when the script of the other panels arrives after it', async () => {
  await using console = await openConsole(browser)
  const { page, show } = console
  const held = new Promise<Route>((resolve) => void page.route(/lazy-panels-.+\.js/, resolve))
  await show('?panel=partners')
  const field = page.getByRole('searchbox', { name: 'Search partners' })
  await field.fill('Acme')
  const route = await held
  await route.continue()
  // Resolves after the console's own import of the script.
  await page.evaluate(
    `import('${route.request().url()}').then(() => new Promise(requestAnimationFrame))`,
  )
  expect(await field.inputValue()).toBe('Acme')
})
