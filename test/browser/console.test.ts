import type { Locator } from 'playwright-core'
import { createSandbox } from 'seo-sandbox'
import { describe, expect, test } from 'vitest'
import { runConsoleTest } from '../support/run-console-test.ts'
import { browser, useChromium } from './use-chromium.ts'
import { looks } from './looks.ts'
import { copyBy, findSerious, findSqueezed, openConsole } from './console.ts'

/** The frame of the console, in Chromium: the parts around every panel. */

const KEY = 'a-key-of-16-letters'
const PANELS = [
  'overview',
  'world',
  'connect',
  'traffic',
  'faults',
  'policies',
  'scenarios',
  'reference',
]

/** The pixels that the document itself scrolls by; only the panel in it should scroll. */
const PAGE_OVERFLOW = 'Math.max(0, document.scrollingElement.scrollHeight - innerHeight)'

useChromium()

describe.each(looks)('in the $theme theme, $width px wide', ({ theme, width }) => {
  test(
    'every panel has nothing serious for axe, nothing that the policy blocks, nothing wider than the screen or squeezed',
    { tags: theme === 'dark' && width === 390 ? ['core'] : [] },
    async () => {
      await using console = await openConsole(browser, { theme, width })
      const { page, show, complaints } = console
      for (const panel of PANELS) {
        await show(`?panel=${panel}`)
        expect(await findSerious(page), panel).toEqual([])
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: panel })
          .toBe(width)
        expect(await page.evaluate(PAGE_OVERFLOW), panel).toBe(0)
        expect(await findSqueezed(page), panel).toEqual([])
      }
      expect(complaints).toEqual([])
    },
  )
})

test('each panel begins at its top, and without the search of another one', async () => {
  await using console = await openConsole(browser, { address: '?panel=connect' })
  const { page } = console
  const main = page.locator('main')
  const open = async (title: string): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name: title }).first().click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  }
  await main.getByText('sandbox-disabled').first().waitFor()
  await main.evaluate((element) => element.scrollTo(0, 400))
  await page.getByRole('link', { name: 'Overview' }).click()
  await main.getByText('The token runs dry').waitFor()
  expect(await main.evaluate((element) => element.scrollTop)).toBe(0)
  await open('Policies')
  await page.getByRole('searchbox').fill('G-034')
  await page.getByText(/^1 of /).waitFor()
  await open('Scenarios')
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
  await main.getByText('month-rollover').waitFor()
  expect(console.complaints).toEqual([])
})

test.each(['127.0.0.1', 'localhost', '::1'])('it works at the address %s', async (host) => {
  await using console = await openConsole(browser, { server: { host } })
  const { page, server } = console
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByTitle('World clock 16 Mar 2026 12:00:00').waitFor()
  expect(server.sandbox.clock.read().now).toBe('2026-03-16T12:00:00.000000Z')
  expect(console.complaints).toEqual([])
})

test('a page of another site may lead to it, but not show it in a frame', async () => {
  await using console = await openConsole(browser)
  const { context, server } = console
  await using other = await openConsole(browser)
  const elsewhere = other.server.url.replace('127.0.0.1', 'localhost')
  const page = await context.newPage()
  await page.goto(`${elsewhere}/`)
  await page.evaluate(`location.href = ${JSON.stringify(server.url)}`)
  await page.getByRole('heading', { name: 'Klitrose Synlighed' }).waitFor()
  await page.getByTitle('World clock 15 Mar 2026 12:00:00').waitFor()
  expect(console.complaints).toEqual([])
})

test('the clocks are moved by an hour, a day, a month, to the next change, and frozen', async () => {
  await using console = await openConsole(browser, { address: '?panel=world&project=101' })
  const { page, server } = console
  const now = () => server.sandbox.clock.read()
  const press = async (name: string) => {
    const before = server.sandbox.world.journal.commands.length
    await page.getByRole('button', { name }).click()
    await expect.poll(() => server.sandbox.world.journal.commands.length).toBe(before + 1)
  }
  await press('+1 h')
  expect(now().now).toBe('2026-03-15T13:00:00.000000Z')
  await press('+1 month')
  expect(now().now).toBe('2026-04-15T13:00:00.000000Z')
  await press('Frozen')
  expect(now().frozen).toBe(false)
  await press('Freeze')
  expect(now().frozen).toBe(true)
  await server.sandbox.clock.set('2026-03-15T12:00:00Z')
  const { changes } = server.sandbox.explain(101)
  await page.getByTitle('World clock 15 Mar 2026 12:00:00').waitFor()
  await press('Go to 1 Apr, 00:00 Report 4 of')
  expect(now().now).toBe(changes[0]?.at)
})

test(
  'what was done is written as a test in three languages, and copied',
  { tags: ['core'] },
  async () => {
    await using console = await openConsole(browser)
    const { page } = console
    await page.getByRole('button', { name: '+1 month' }).click()
    await page.getByRole('button', { name: 'As a test' }).click()
    const code = page.getByLabel('What you did, as code').getByRole('tabpanel')
    await expect.poll(() => code.textContent()).toContain("await sandbox.clock.advance('P1M')")
    await page
      .getByLabel('What you did, as code')
      .getByRole('tab', { name: 'TypeScript' })
      .press('ArrowRight')
    await expect
      .poll(() => code.textContent())
      .toContain('{ "type": "clock.advance", "by": "P1M" }')
    await page.getByLabel('What you did, as code').getByRole('tab', { name: 'curl' }).click()
    await expect
      .poll(() => code.textContent())
      .toContain(`-d '{"type":"clock.advance","by":"P1M"}'`)
    expect(await copyBy(page.getByRole('button', { name: 'Copy the test' }))).toBe(
      await code.textContent(),
    )
  },
)

test('a test begins with the world on the screen, and gets its answers', async () => {
  const options = { demo: true, locale: 'de', policies: { 'missing-token': '403' }, latency: 1 }
  await using console = await openConsole(browser, {
    server: options as never,
    address: '?panel=reference&endpoint=getMe',
  })
  const { page, server } = console
  await server.sandbox.clock.set('2026-04-20T08:00:00Z')
  await page.getByTitle('World clock 20 Apr 2026 08:00:00').waitFor()
  const run = page.getByRole('button', { name: 'Send this request' })
  await page.getByLabel('Token', { exact: true }).selectOption({ label: 'no token' })
  await run.click()
  await page.locator('.response .state', { hasText: '403' }).waitFor()
  await page.getByRole('button', { name: '+1 month' }).click()
  await page.getByText('Advanced both clocks by a month 2 steps so far').waitFor()
  await page.getByRole('button', { name: 'As a test' }).click()
  const code = await copyBy(page.getByRole('button', { name: 'Copy the test' }))
  for (const line of [
    'demo: true,',
    "locale: 'de',",
    "policies: { 'missing-token': '403' },",
    'latency: 1,',
    "now: '2026-03-15T12:00:00.000Z',",
    "await sandbox.clock.set('2026-04-20T08:00:00.000Z')",
  ])
    expect(code).toContain(line)
  await runConsoleTest(code, createSandbox)
  const refused = console.complaints.filter((complaint) => !complaint.includes('403'))
  expect(refused).toEqual([])
})

test('a step before a request is undone by its name, and both stay in the test, which holds', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=reference&endpoint=getMe',
  })
  const { page, server } = console
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('Advanced both clocks by a day').first().waitFor()
  // Until the tokens have loaded, requests are sent without one.
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
  await page.getByRole('button', { name: 'Send this request' }).click()
  await page.getByText('2 steps so far').waitFor()
  const undo = page.getByRole('button', { name: 'Undo: advanced both clocks by a day' })
  const before = server.sandbox.clock.read()
  await undo.click()
  await page.getByText('Undid: advanced both clocks by a day 3 steps so far').waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await page.getByRole('button', { name: 'As a test' }).click()
  const code = await copyBy(page.getByRole('button', { name: 'Copy the test' }))
  expect(code).toContain('.status).toBe(200)')
  await runConsoleTest(code, createSandbox)
  const now = server.sandbox.clock.read()
  expect(now.now).toBe('2026-03-15T12:00:00.000000Z')
  expect(now.rate_clock >= before.rate_clock).toBe(true)
  expect([...server.sandbox.world.journal.requests()]).toHaveLength(1)
  expect(console.complaints).toEqual([])
})

test('what was done in one world is neither written nor undone in another', async () => {
  await using console = await openConsole(browser)
  const { page, server, show } = console
  const { id } = await server.sandbox.worlds.create({ now: '2030-06-01T00:00:00Z', frozen: true })
  await show('')
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('Advanced both clocks by a day').first().waitFor()
  await page.getByLabel('World', { exact: true }).selectOption(`World ${id}`)
  await expect.poll(() => page.getByLabel('What you did, as code').count()).toBe(0)
  await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await page.getByLabel('World', { exact: true }).selectOption({ index: 0 })
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => page.getByLabel('What you did, as code').count()).toBe(0)
  expect(server.sandbox.clock.read().now).toBe('2026-03-15T12:00:00.000000Z')
  expect(console.complaints).toEqual([])
})

test('what was done is undone, and is gone from the test', async () => {
  await using console = await openConsole(browser)
  const { page, server } = console
  await page.getByTitle('World clock 15 Mar 2026 12:00:00').first().waitFor()
  await page.getByRole('button', { name: 'Frozen' }).click()
  await page.getByRole('button', { name: '+1 month' }).click()
  await page.getByText('Advanced both clocks by a month 2 steps so far').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undid: advanced both clocks by a month', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Undo: let the world clock run' }).waitFor()
  expect(server.sandbox.clock.read()).toMatchObject({ frozen: false })
  expect(server.sandbox.clock.read().now).toMatch(/^2026-03-15T12:0/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => page.getByLabel('What you did, as code').count()).toBe(0)
  expect(server.sandbox.clock.read().frozen).toBe(true)
})

test(
  'the admin key is asked for, a wrong one asked for again, and none is stored',
  { tags: ['core'] },
  async () => {
    await using console = await openConsole(browser, { server: { adminKey: KEY } })
    const { page, context } = console
    const dialog = page.getByRole('dialog', { name: 'Open as the operator' })
    await dialog.getByLabel('Key').fill('a-wrong-key-of-letters')
    await dialog.getByLabel('Key').press('Enter')
    await dialog.getByText('This is not the admin key').waitFor()
    await expect.poll(() => dialog.getByLabel('Key').inputValue()).toBe('')
    await dialog.getByLabel('Key').fill('another-wrong-key-of-letters')
    await dialog.getByLabel('Key').press('Enter')
    await expect.poll(() => dialog.getByLabel('Key').inputValue()).toBe('')
    await dialog.getByText('This is not the admin key').waitFor()
    expect(await findSerious(page)).toEqual([])
    await dialog.getByLabel('Key').fill(KEY)
    await dialog.getByRole('button', { name: 'Open' }).click()
    await page.getByTitle('World clock 15 Mar 2026 12:00:00').waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    expect(JSON.stringify(await context.storageState())).not.toContain(KEY)
    await page.getByRole('button', { name: '+1 day' }).click()
    await page.getByTitle('World clock 16 Mar 2026 12:00:00').waitFor()
    await page.getByRole('button', { name: 'As a test' }).click()
    await page.getByLabel('What you did, as code').getByRole('tab', { name: 'curl' }).click()
    await expect
      .poll(() => page.getByLabel('What you did, as code').getByRole('tabpanel').textContent())
      .toContain('$SEO_SANDBOX_ADMIN_KEY')
  },
)

test('without the key the page cannot be seen: Escape leaves its dialog open, with what is typed', async () => {
  await using console = await openConsole(browser, { server: { adminKey: KEY } })
  const { page } = console
  const field = page.getByRole('dialog', { name: 'Open as the operator' }).getByLabel('Key')
  await field.fill(KEY)
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('dialog:modal').count()).toBe(1)
  await expect.poll(() => field.evaluate((input) => input.matches(':focus'))).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByTitle('World clock 15 Mar 2026 12:00:00').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test.each([390, 1280])(
  '%s px wide, a notice covers nothing, least of all what was pressed',
  async (width) => {
    await using console = await openConsole(browser, { width, address: '?panel=scenarios' })
    const { page } = console
    const last = page.locator('.scenarios button').last()
    await last.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Load it' }).click()
    const notice = page.locator('.notice')
    await notice.getByText(/^This world is the scenario/).waitFor()
    const at = async (place: Locator) => (await place.boundingBox())!
    const [main, bar, done, pressed] = await Promise.all(
      [page.locator('main'), notice, page.locator('.did'), last].map(at),
    )
    expect(bar!.y).toBeGreaterThanOrEqual(main!.y + main!.height)
    expect(done!.y).toBeGreaterThanOrEqual(bar!.y + bar!.height)
    expect(Math.floor(pressed!.y + pressed!.height)).toBeLessThanOrEqual(bar!.y)
    expect(await page.evaluate(PAGE_OVERFLOW)).toBe(0)
    expect(console.complaints).toEqual([])
  },
)

test('a test of what was done says where a client has sent requests that are not in it', async () => {
  await using console = await openConsole(browser)
  const { page, server } = console
  const code = page.getByLabel('What you did, as code').getByRole('tabpanel')
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByRole('button', { name: 'As a test' }).click()
  await code.getByText('clock.advance').waitFor()
  await expect.poll(() => code.textContent()).not.toContain('Your client has sent requests')
  await fetch(`${server.url}/api/v1/me`)
  await page.getByRole('link', { name: 'Traffic 1' }).waitFor()
  await page.getByRole('button', { name: '+1 day' }).click()
  await code.getByText('Your client has sent requests, which the test does not repeat.').waitFor()
  expect(console.complaints).toEqual([])
})

test('the figures beside the panels are of the world that is shown, also after a load, a reset and in another one', async () => {
  await using console = await openConsole(browser)
  const { page, server, show } = console
  const { sandbox } = server
  const { id } = await sandbox.worlds.create({ scenario: 'empty-agency' })
  const figures = async () =>
    (await page.locator('.rail .entry').allInnerTexts())
      .map((text) => text.replaceAll(/\s+/g, ' ').trim())
      .filter((text) => /\d/.test(text))
  await show('')
  const atStart = [`World ${sandbox.world.records.all('projects').length}`]
  await expect.poll(figures).toEqual(atStart)
  await sandbox.command({ type: 'scenario.load', scenario: 'latest-rule-2' })
  await expect.poll(figures).toEqual(['World 11'])
  await sandbox.faults.add({ kind: 'status', status: 503 })
  await sandbox.command({ type: 'policy.set', policies: { 'missing-token': '403' } })
  await expect.poll(figures).toEqual(['World 11', 'Faults 1', 'Policies 1 set'])
  await page.getByLabel('World', { exact: true }).selectOption(`World ${id}`)
  await expect.poll(figures).toEqual([])
  await page.getByLabel('World', { exact: true }).selectOption({ index: 0 })
  await expect.poll(figures).toEqual(['World 11', 'Faults 1', 'Policies 1 set'])
  await sandbox.reset()
  await expect.poll(figures).toEqual(atStart)
  expect(console.complaints).toEqual([])
})

test('a world is chosen', async () => {
  await using console = await openConsole(browser)
  const { page, server, show } = console
  const { id, sandbox } = await server.sandbox.worlds.create({
    now: '2030-06-01T00:00:00Z',
    frozen: true,
  })
  await show('')
  await page.getByLabel('World', { exact: true }).selectOption(`World ${id}`)
  await page.getByTitle('World clock 1 Jun 2030 00:00:00').waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('world')).toBe(id)
  await page.getByText(`You are in world ${id}.`).waitFor()
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByTitle('World clock 2 Jun 2030 00:00:00').waitFor()
  expect(sandbox.clock.read().now).toBe('2030-06-02T00:00:00.000000Z')
})

test('pages of one browser share one stream, which another one takes over', async () => {
  await using console = await openConsole(browser)
  const { server, page, open, context } = console
  await fetch(`${server.url}/api/v1/me`)
  await page.getByRole('link', { name: 'Traffic 1' }).waitFor()
  // By now the first page has opened its stream.
  let streams = 0
  context.on('request', (request) => {
    if (request.url().includes('/requests/stream')) streams += 1
  })
  const others = await Promise.all([open(), open()])
  for (const other of others) await other.getByRole('link', { name: 'Traffic 1' }).waitFor()
  await fetch(`${server.url}/api/v1/me`)
  for (const each of [page, ...others])
    await each.getByRole('link', { name: 'Traffic 2' }).waitFor()
  expect(streams).toBe(0)
  await page.close()
  await expect.poll(() => streams).toBe(1)
  await fetch(`${server.url}/api/v1/me`)
  for (const other of others) await other.getByRole('link', { name: 'Traffic 3' }).waitFor()
})

test('pages that are opened together all see the journal, by one stream', async () => {
  await using console = await openConsole(browser)
  const { server, page, open, context } = console
  await page.close()
  await fetch(`${server.url}/api/v1/me`)
  let streams = 0
  context.on('request', (request) => {
    if (request.url().includes('/requests/stream')) streams += 1
  })
  const pages = await Promise.all([open(), open(), open()])
  for (const each of pages) await each.getByRole('link', { name: 'Traffic 1' }).waitFor()
  expect(streams).toBe(1)
})

test('it is used by the keyboard alone', async () => {
  await using console = await openConsole(browser)
  const { page } = console
  const { keyboard } = page
  for (const [key, title] of [
    ['2', 'World'],
    ['3', 'Connect'],
    ['4', 'Traffic'],
    ['5', 'Faults'],
    ['6', 'Policies'],
    ['7', 'Scenarios'],
    ['8', 'Reference'],
    ['1', 'Overview'],
  ] as const) {
    await keyboard.press(key)
    await page.locator('.rail [aria-current=page]', { hasText: title }).waitFor()
  }
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Reference' }).waitFor()
  await keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Settings' })
  await keys.getByText('Search in the panel').waitFor()
  await keys.getByText('Close a dialog').waitFor()
  expect(await findSerious(page)).toEqual([])
  await keyboard.press('Escape')
  await expect.poll(() => keys.count()).toBe(0)
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('panel')
})

test('on a phone the header, the foot and the panels have a row each, and the rest is in sheets', async () => {
  await using console = await openConsole(browser, { width: 390 })
  const { page, server } = console
  await page.getByRole('button', { name: 'Move the clocks' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '+1 day' }).click()
  await page.getByTitle('World clock 16 Mar 2026 12:00:00').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Advanced both clocks by a day').waitFor()
  for (const row of ['.top', '.did', '.tab-row'])
    expect((await page.locator(row).boundingBox())!.height, row).toBeLessThan(64)
  await page.getByRole('button', { name: 'More' }).click()
  expect(await findSerious(page)).toEqual([])
  await page.getByRole('dialog').getByRole('link', { name: 'Policies' }).click()
  await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'As a test' }).click()
  await page.getByText("await sandbox.clock.advance('P1D')").waitFor()
  expect(server.sandbox.clock.read().now).toBe('2026-03-16T12:00:00.000000Z')
  expect(console.complaints).toEqual([])
})

test('the header says which clock a step has moved, and what the other one is, in one row at every width', async () => {
  await using console = await openConsole(browser, {
    server: { now: new Date().toISOString(), frozen: false },
  })
  const { page, server } = console
  await page.getByText('World time in UTC, running').waitFor()
  const setBack = (ms: number) => server.sandbox.clock.set(new Date(Date.now() - ms).toISOString())
  await setBack(2 * 3_600_000)
  await page.getByText(/^World time in UTC, running, (?:2 h|1 h 59 min) behind$/).waitFor()
  await setBack(20 * 60_000)
  await page.getByText(/^World time in UTC, running, (?:20|19) min behind$/).waitFor()
  // Nobody cares about the rate limits until a client has called.
  expect(await page.getByText('Rate limits').count()).toBe(0)
  await fetch(`${server.url}/api/v1/me`)
  const rate = page.getByText(/^Rate limits are at \d+ \w+, \d\d:\d\d$/)
  await rate.waitFor()
  await setBack(0)
  await page.getByText('World time in UTC, running', { exact: true }).waitFor()
  expect(await page.getByText('Rate limits').count()).toBe(0)
  await page.getByRole('button', { name: /^Go to \d+ \w+, \d\d:\d\d Report/ }).click()
  await page.getByText(/^World time in UTC, running, .+ ahead$/).waitFor()
  await rate.waitFor()
  // Without Undo, which a reload forgets, there is a way back.
  await page.reload()
  for (const width of [1201, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await rate.waitFor()
    await page.getByRole('button', { name: 'Now', exact: true }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect((await page.getByRole('banner').boundingBox())!.height).toBeLessThan(75)
  }
  await page.getByRole('button', { name: 'Now', exact: true }).click()
  await page.getByText('World time in UTC, running', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Now', exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: '+1 month' }).click()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await rate.waitFor()
  const header = page.getByRole('banner')
  for (const width of [1280, 1100, 900, 390]) {
    await page.setViewportSize({ width, height: 800 })
    if (width === 1280) expect((await rate.boundingBox())!.height).toBeLessThan(20)
    // The header is one row, and nothing extends beyond the screen.
    await expect.poll(async () => (await header.boundingBox())!.height).toBe(width > 860 ? 64 : 58)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    const inner = await page.evaluate('document.querySelector(".top").scrollWidth')
    expect(inner).toBeLessThanOrEqual(width)
  }
})

test('on a phone, the last step, its undo and the next change are shown in whole', async () => {
  await using console = await openConsole(browser, { server: { demo: true }, width: 390 })
  const { page, server } = console
  const name = 'Bevægelseshuset Nørskov & Davidsen Vejle'
  await server.sandbox.world.command({
    type: 'record.patch',
    collection: 'projects',
    id: 1001,
    patch: { name },
  })
  await server.sandbox.clock.set('2026-03-31T20:00:00Z')
  await page.getByRole('button', { name: /^Go to 1 Apr, 00:00 Report \d+ of Bev/ }).click()
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Connect' }).click()
  // Until the tokens have loaded, requests are sent without one.
  await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
  await page.getByRole('button', { name: 'Send this request' }).click()
  await page.getByRole('button', { name: /^Undo: went to 1 Apr, 00:00, when report/ }).waitFor()
  const cut = await page.evaluate(`[...document.querySelectorAll('.did *, .top *, .tab-row *')]
    .filter(({ clientWidth, scrollWidth, clientHeight, scrollHeight }) =>
      clientWidth > 0 && (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1))
    .map(({ className, textContent }) => className + ': ' + textContent)`)
  expect(cut).toEqual([])
  expect(await page.getByLabel('What you did, as code').innerText()).not.toContain('…')
  expect(console.complaints).toEqual([])
})

test('while the next change is looked for the button has no fill, and where there is none it says why', async () => {
  await using console = await openConsole(browser, { server: { fixtures: { version: 1 } } })
  const { page, context, open } = console
  await page.getByRole('button', { name: 'Nothing ahead There are no projects' }).waitFor()
  await context.route(/overview|records\/agencies/, () => undefined)
  const other = await open('?panel=connect')
  const button = other.getByRole('button', { name: 'Next change Looking at the projects …' })
  expect(await button.isDisabled()).toBe(true)
})

test('the theme is the system’s, light or dark, and is kept', async () => {
  await using console = await openConsole(browser, { theme: 'light' })
  const { page } = console
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name, exact: true }).click()
    await page.keyboard.press('Escape')
  }
  await choose('Dark')
  await expect.poll(() => ground()).not.toBe(light)
  await page.reload()
  await expect.poll(() => ground()).not.toBe(light)
  await choose('Light')
  await expect.poll(() => ground()).toBe(light)
})

test('a change is read again at once, and changes in quick succession together', async () => {
  await using console = await openConsole(browser)
  const { page, server } = console
  await page.locator('.button.go:enabled').waitFor()
  let reads = 0
  page.on('request', (request) => void (reads += request.url().includes('/overview') ? 1 : 0))
  // Stops the time of the page long after the first read, and holds the timers of waits between two reads.
  await page.evaluate(`
    const stoppedMs = performance.now() + 1000
    performance.now = () => stoppedMs
    var held = []
    const set = setTimeout
    setTimeout = (run, ms) => ms > 200 && ms <= 300 ? void held.push(run) : set(run, ms)`)
  const date = page.locator('.clock')
  await server.sandbox.clock.set('2026-03-16T12:00:00Z')
  await expect.poll(() => reads).toBe(1)
  for (const day of [17, 18, 19]) {
    await server.sandbox.clock.set(`2026-03-${day}T12:00:00Z`)
    await date.getByText(`${day} Mar`).first().waitFor()
  }
  expect(reads).toBe(1)
  await page.evaluate('for (const run of held) run()')
  await expect.poll(() => reads).toBe(2)
  expect(console.complaints).toEqual([])
})

test('an undo that fails halfway leaves the commands in the code that the world has got', async () => {
  await using console = await openConsole(browser)
  const { page, server } = console
  await page.getByRole('button', { name: 'Frozen' }).click()
  await page.getByText('Let the world clock run').first().waitFor()
  await page.route('**/_sandbox/commands*', async (route) => {
    const { type } = (route.request().postDataJSON() ?? {}) as { type?: string }
    if (type === 'clock.set') await route.fulfill({ status: 500, body: '' })
    else await route.continue()
  })
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('The server answered 500 without a reason.').waitFor()
  await page.getByText('Undid: let the world clock run 2 steps so far').waitFor()
  expect(server.sandbox.clock.read().frozen).toBe(true)
  expect(console.complaints.filter((complaint) => !complaint.includes('500'))).toEqual([])
})
