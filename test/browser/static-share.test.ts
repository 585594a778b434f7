import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { copyBy } from './console.ts'
import { exportSite, openHost } from './static-host.ts'
import type { ExportedSite, StaticHost } from './static-host.ts'

/** Sharing of a static site's view, and opening of shared links and files (docs/static-demo.md, "Share what is on screen"). */

useChromium()
let site: ExportedSite
let host: StaticHost
beforeAll(async () => {
  site = await exportSite('--demo')
  host = await openHost(site.folder)
})
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function openContext(): Promise<BrowserContext & AsyncDisposable> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
  })
  return Object.assign(context, { [Symbol.asyncDispose]: () => context.close() })
}

async function openPage(context: BrowserContext, address = host.url): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** Sends a request from the page, like code that somebody types there. */
function ask(page: Page, path: string): Promise<{ status: number; body: unknown }> {
  return page.evaluate(
    async ([url, token]) => {
      const response = await fetch(url!, { headers: { authorization: `Bearer ${token}` } })
      return { status: response.status, body: await response.json() }
    },
    [new URL(path, page.url()).href, 'sandbox-agency'],
  )
}

/** Returns the state of a page without its running clock and the durations of responses. */
async function stateOf(page: Page) {
  const paths = ['_sandbox/clock', '_sandbox/faults', '_sandbox/commands', '_sandbox/requests']
  const states = await Promise.all(paths.map((path) => ask(page, path)))
  return states.map(({ body }) =>
    JSON.stringify(body, (key, value: unknown) =>
      ['rate_clock', 'duration_ms'].includes(key) ? null : value,
    ),
  )
}

/** Performs actions in a tab, for others to see. */
async function useTab(page: Page): Promise<void> {
  await ask(page, 'api/v1/me')
  await page.getByRole('button', { name: '+1 month' }).click()
  await page.getByRole('link', { name: 'Traffic' }).click()
  await page.getByText('2 entries').waitFor()
  await ask(page, 'api/v1/projects?page=2')
  await page.getByText('3 entries').waitFor()
}

async function shareLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Share this view' }).click()
  const link = await copyBy(page.getByRole('button', { name: 'Copy the link' }))
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  return link
}

test(
  'a link shows the same panel of the same world to somebody else, also after a reload, without a bearer value',
  { tags: ['core'] },
  async () => {
    await using mine = await openContext()
    const page = await openPage(mine)
    await useTab(page)
    const link = await shareLink(page)
    expect(link).toMatch(/\/a\/demo\/#s1\.[\w-]+$/)

    await using others = await openContext()
    const opened = await openPage(others, link)
    await opened.getByRole('heading', { level: 1, name: 'Traffic' }).waitFor()
    await opened.getByText('3 entries').waitFor()
    expect(await stateOf(opened)).toEqual(await stateOf(page))
    await expect.poll(() => opened.url()).toBe(`${host.url}?panel=traffic`)
    await opened.reload()
    await opened.getByText('3 entries').waitFor()
    expect(await stateOf(opened)).toEqual(await stateOf(page))
    // Later actions stay in the tab in which they are taken.
    await opened.getByRole('button', { name: '+1 day' }).click()
    await opened.getByText('4 entries').waitFor()
    await page.getByText('3 entries').waitFor()
  },
)

test('a session file is opened where it is dropped, once that is confirmed, and from the site itself', async () => {
  await using context = await openContext()
  const page = await openPage(context)
  await useTab(page)
  const { body: session } = await ask(page, '_sandbox/session')
  const before = await stateOf(page)

  const other = await openPage(await openContext())
  const text = JSON.stringify(JSON.stringify(session))
  const dataTransfer = await other.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([${text}], 'bug.session.json'))
    return transfer
  })()`)
  await other.dispatchEvent('body', 'drop', { dataTransfer })
  const dialog = other.getByRole('dialog')
  await dialog.getByText('It is replayed in this tab, whose own world is lost.').waitFor()
  await dialog.getByRole('button', { name: 'Open it' }).click()
  await other.getByRole('link', { name: 'Traffic' }).click()
  await other.getByText('3 entries').waitFor()
  expect(await stateOf(other)).toEqual(before)

  await writeFile(join(site.folder, 'bug.json'), JSON.stringify(session))
  const named = await openPage(await openContext(), `${host.url}?session=bug.json`)
  await named.getByRole('link', { name: 'Traffic' }).click()
  await named.getByText('3 entries').waitFor()
  expect(await stateOf(named)).toEqual(before)
})

test('what was made on another site is said before anything runs', async () => {
  await using context = await openContext()
  const page = await openPage(context)
  await useTab(page)
  const [, fragment = ''] = (await shareLink(page)).split('#')
  await using other = await exportSite('--scenario', 'late-finisher')
  await using elsewhere = await openHost(other.folder)
  const address = `${elsewhere.url}#${fragment}`

  const refused = await openPage(context, address)
  const dialog = refused.getByRole('dialog')
  await dialog.getByText('other fixtures or options than those of this site').waitFor()
  await dialog.getByRole('button', { name: 'Begin anew' }).click()
  await refused.getByRole('link', { name: 'Traffic' }).click()
  await refused.getByRole('heading', { name: 'No requests yet' }).waitFor()

  const opened = await openPage(context, address)
  await opened.getByRole('dialog').getByRole('button', { name: 'Open it' }).click()
  await opened.getByText('3 entries').waitFor()
  expect((await ask(opened, '_sandbox/requests')).body).toHaveLength(2)
})

test('starting again asks first, and forgets the world', async () => {
  await using context = await openContext()
  const page = await openPage(context)
  await useTab(page)
  await page.getByRole('button', { name: 'Start it again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep this world' }).click()
  await page.getByText('3 entries').waitFor()
  await page.getByRole('button', { name: 'Start it again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start this world again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Kingfisher SEO' }).waitFor()
  await expect.poll(async () => (await ask(page, '_sandbox/requests')).body).toEqual([])
})

test.each([
  ['#s1.AAAA', 'This link is damaged'],
  ['#s1.<script>alert(1)</script>', 'This link is not in the format of links'],
  ['#s2.AAAA', 'This link is of another release of the sandbox'],
  ['?session=none.json', 'This site has no session file none.json.'],
  [
    '?session=https://elsewhere.example/x.json',
    'A session is opened from a file of this site alone.',
  ],
  ['?session=../x.json', 'A session is opened from a file of this site alone.'],
  ['?session=site.json', 'session'],
])('%s is refused in a sentence, and a world begins', async (address, sentence) => {
  await using context = await openContext()
  const scripts: string[] = []
  context.on('dialog', (dialog) => {
    scripts.push(dialog.message())
    void dialog.dismiss()
  })
  const page = await openPage(context, `${host.url}${address}`)
  await page.locator('.notices').getByText(sentence).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Kingfisher SEO' }).waitFor()
  expect(scripts).toEqual([])
})
