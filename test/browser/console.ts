import axe from 'axe-core'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { startServer } from 'seo-sandbox/server'
import type { SandboxServer, ServerOptions } from 'seo-sandbox/server'
import { expect } from 'vitest'

/** The console of a server of its own, in a page of a browser. */
export interface OpenConsole extends AsyncDisposable {
  server: SandboxServer
  context: BrowserContext
  page: Page
  /** Errors and warnings that its pages logged or threw, including those of the content security policy. */
  complaints: string[]
  /** Opens another page of the same browser. */
  open: (address?: string) => Promise<Page>
  /** Goes to an address: `?panel=world&project=101`. */
  show: (address: string) => Promise<void>
}

interface ConsoleOptions {
  server?: ServerOptions
  /** Initial address of the page. */
  address?: string
  theme?: 'light' | 'dark'
  width?: number
  hasTouch?: boolean
}

/** Starts a server, and opens its console. The clock of its world is frozen unless the options say otherwise. */
export async function openConsole(
  browser: Browser,
  {
    server: options = {},
    address = '',
    theme = 'light',
    width = 1280,
    hasTouch = false,
  }: ConsoleOptions = {},
): Promise<OpenConsole> {
  const server = await startServer({
    port: 0,
    now: '2026-03-15T12:00:00Z',
    frozen: true,
    ...options,
  })
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
    hasTouch,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const complaints: string[] = []
  context.on('console', (message) => {
    if (
      !['error', 'warning'].includes(message.type()) ||
      isOfRemoved(message.text(), message.location().url)
    )
      return
    complaints.push(`${message.text()} at ${message.location().url}`)
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  const open = async (where = ''): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${server.url}/${where}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }
  const page = await open(address)
  return {
    server,
    context,
    page,
    complaints,
    open,
    show: async (where) => {
      await page.goto(`${server.url}/${where}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    [Symbol.asyncDispose]: async () => {
      await context.close()
      await server.close()
    },
  }
}

/** True for the 404 that Chromium logs if the frame asks about a project that a command has just removed. */
function isOfRemoved(text: string, url: string): boolean {
  return text.includes(' 404 ') && /\/explain\/projects\/\d/.test(url)
}

/** Clicks a button that copies, and returns the copied text. */
export async function copyBy(button: Locator): Promise<string> {
  const page = button.page()
  await page.evaluate(`navigator.clipboard.writeText('')`)
  await button.click()
  let text = ''
  await expect
    .poll(async () => (text = await page.evaluate<string>('navigator.clipboard.readText()')))
    .not.toBe('')
  return text
}

interface Violation {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** Returns the serious and critical findings of axe in a page, each with its elements. */
export async function findSerious(page: Page): Promise<string[]> {
  const isThere = await page.evaluate('typeof axe === "object"')
  if (isThere !== true) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)
}

/** Returns content that is wider than a phone's screen, and words without room there. Restores the width of the page. */
export async function findTooWide(page: Page): Promise<string[]> {
  const size = page.viewportSize()!
  await page.setViewportSize({ width: PHONE_WIDTH, height: size.height })
  const width = await page.evaluate('document.documentElement.scrollWidth')
  const found = [
    ...(width === PHONE_WIDTH ? [] : [`${String(width)} px`]),
    ...(await findSqueezed(page)),
  ]
  await page.setViewportSize(size)
  return found
}

const PHONE_WIDTH = 390

/** Returns words with so little room that they are broken into letters. */
export async function findSqueezed(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('body *')].flatMap((element) => {
    const text = [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join('')
    const { width, height } = element.getBoundingClientRect()
    return text.length > 8 && width > 2 && width < 40 && height > 60 ? [text] : []
  })`)
}
