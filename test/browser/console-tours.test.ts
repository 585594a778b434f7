import type { Page } from 'playwright-core'
import { createSandbox } from 'seo-sandbox'
import type { SandboxServer } from 'seo-sandbox/server'
import { describe, expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { runConsoleTest } from '../support/run-console-test.ts'
import { copyBy, findSerious, findSqueezed, openConsole } from './console.ts'
import { looks } from './looks.ts'

/** The tours, which start from the first panel of the console. */

useChromium()

/**
 * Chromium logs every failed request. A 429 is the subject of a tour, and a request of the client may be gone when the page reads it,
 * because putting the world back has emptied the journal.
 */
function withoutRefusals(complaints: readonly string[]): string[] {
  return complaints.filter(
    (complaint) => !complaint.includes('429') && !/404.*\/_sandbox\/requests\/\d+/.test(complaint),
  )
}

/** Returns the world without the parts that move with the rate clock. */
async function stateOf({ sandbox }: SandboxServer): Promise<unknown> {
  const { taken_at: _, rate_windows: __, ...rest } = await sandbox.snapshot()
  return rest
}

/** Takes every step of a tour with the keyboard, and returns the texts shown. */
async function takeTour(page: Page, title: string): Promise<string> {
  await page.getByRole('button', { name: `Begin the tour: ${title}` }).focus()
  await page.keyboard.press('Enter')
  const tour = page.locator('.tours')
  const seen: string[] = []
  for (let step = 1; ; step += 1) {
    await tour.getByText(new RegExp(`^(?:Step ${step} of \\d|Done)$`)).waitFor()
    if (step > 1) seen.push(await tour.locator('.seen').innerText())
    if ((await tour.getByText(/^Done$/).count()) === 1) return seen.join('\n')
    await tour.locator('.next .primary:focus').waitFor()
    await page.keyboard.press('Enter')
  }
}

/** Returns the differing rows of the API's responses: field, before and now. */
const differing = (page: Page): Promise<string[][]> =>
  page.evaluate(`[...document.querySelectorAll('.tours .differs')]
    .map(({ cells }) => [...cells].map(({ textContent }) => textContent))`)

test.each(looks)(
  'a tour plays on the timeline in the $theme theme, $width px wide: what changes is marked in the picture and in the answer',
  async ({ theme, width }) => {
    await using console = await openConsole(browser, { theme, width })
    const { page } = console
    await page.evaluate(`Element.prototype.animate = () => { throw new Error('It moves.') }`)
    await page.getByRole('button', { name: 'Begin the tour: A month turns' }).click()
    const press = (name: string) => page.getByRole('button', { name }).click()
    const picture = page.locator('.tours .lanes')
    await press('Ask for the latest report')
    await page.getByRole('columnheader', { name: 'Now: report 3' }).waitFor()
    await page.getByText('Going back discards all requests').waitFor()
    await press('Go to the last minute of the month')
    await page.getByRole('columnheader', { name: 'No field differs' }).waitFor()
    await picture.getByText('31 Mar 2026 23:59').waitFor()
    // The lane begins with the project, and not with the tour.
    const first = picture.getByRole('list', { name: 'latest' }).getByRole('listitem').first()
    expect(await first.getAttribute('class')).not.toContain('current')
    await press('Go to the new month')
    await page.getByRole('columnheader', { name: 'Before: report 3' }).waitFor()
    await page.getByRole('columnheader', { name: 'Now: report 4' }).waitFor()
    await picture.getByText('4, was 3').waitFor()
    await expect
      .poll(() => differing(page))
      .toEqual(
        expect.arrayContaining([
          ['differs: Report number report_number', '3', '4'],
          ['differs: Status status', 'completed', 'pending'],
          ['differs: Texts due date_to_create_texts', '1 Mar 2026', '1 Apr 2026'],
        ]),
      )
    await press('As in the JSON')
    await page.getByRole('cell', { name: '"2026-04-01"' }).waitFor()
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await findSqueezed(page)).toEqual([])
    expect(await findSerious(page)).toEqual([])
    await press('Ask for the last generated report')
    await page.getByRole('columnheader', { name: 'last generated: report 3' }).waitFor()
    expect(console.complaints).toEqual([])
  },
)

test('the playhead is seen to move where the system has nothing against that', async () => {
  await using console = await openConsole(browser)
  const { page } = console
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.reload()
  await page.evaluate(
    `Element.prototype.animate = function (_, ms) { (globalThis.moved ??= []).push([this.dataset.playhead, ms]) }`,
  )
  await takeTour(page, 'A month turns')
  // The playhead moves to the last minute of the month; from there, the new month is less than a pixel away.
  await expect.poll(() => page.evaluate('moved')).toEqual([['', 150]])
})

test('what was done besides a tour is not put back without asking', async () => {
  await using console = await openConsole(browser)
  const { page, server } = console
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('16 Mar, 12:00').first().waitFor()
  const before = await stateOf(server)
  await takeTour(page, 'The token runs dry')
  await server.sandbox.faults.add({ kind: 'status', status: 503 })
  await page.getByRole('button', { name: 'Put the world back' }).click()
  const dialog = page.getByRole('dialog', { name: 'Discard other changes too?' })
  await dialog.getByRole('button', { name: 'Keep this world' }).click()
  expect(server.sandbox.faults.list()).toHaveLength(1)
  await page.getByRole('button', { name: 'Put the world back' }).click()
  await dialog.getByRole('button', { name: 'Put it back' }).click()
  await page.getByText('The world is as it was before the tour.').waitFor()
  expect(await stateOf(server)).toEqual(before)
  expect(withoutRefusals(console.complaints)).toEqual([])
})

const SEEN = {
  'A report is completed': 'is_generated is true, generation_status is completed',
  'The token runs dry': 'the next one got a 429',
  'A month turns': 'The world clock stands at 1 Apr 2026 00:00.',
}

const WORLDS = [
  { world: 'the default world', server: {} },
  { world: 'the demo', server: { demo: true } },
  { world: 'a generated world', server: { generate: { projects: 30 } } },
]

describe.each(WORLDS)('in $world', ({ server: options }) => {
  describe.each(Object.entries(SEEN))('“%s”', (title, text) => {
    test('is copied as a test that holds, and the world is put back', async () => {
      await using console = await openConsole(browser, { server: options })
      const { page, server } = console
      // Use up some of the minute in advance.
      const token = server.sandbox.world.records.all('tokens')[0]?.token ?? ''
      const headers = { authorization: `Bearer ${token}` }
      for (let sent = 0; sent < 7; sent += 1) await fetch(`${server.url}/api/v1/me`, { headers })
      const { requests } = server.sandbox.review()
      const before = await stateOf(server)
      expect(await takeTour(page, title)).toContain(text)
      await page
        .locator('.did .last')
        .getByText(/^(?:Asked|Requested)/)
        .waitFor()
      // The requests of a tour do not count as a client's.
      expect(server.sandbox.review()).toMatchObject({ verdict: 'passed', requests })
      await page.getByRole('button', { name: 'As a test' }).click()
      const code = await copyBy(page.getByRole('button', { name: 'Copy the test' }))
      await runConsoleTest(code, createSandbox)
      await page.getByRole('button', { name: 'Put the world back' }).click()
      await page.getByText('The world is as it was before the tour.').waitFor()
      expect(await stateOf(server)).toEqual(before)
      expect(withoutRefusals(console.complaints)).toEqual([])
    })
  })
})

test('a world that has nothing for a tour says so, and a tour can be left', async () => {
  await using console = await openConsole(browser, { server: { scenario: 'empty-agency' } })
  const { page } = console
  await page.getByRole('button', { name: 'Begin the tour: A month turns' }).click()
  await page.getByRole('link', { name: 'month-rollover' }).waitFor()
  await page.getByRole('button', { name: 'Begin the tour: The token runs dry' }).click()
  await page.getByText('Step 1 of 3').waitFor()
  expect(await page.locator('.tours .button.primary').count()).toBe(1)
  await page.getByRole('button', { name: 'Leave the tour' }).click()
  await page.getByRole('heading', { name: 'Show it to someone' }).waitFor()
  expect(console.complaints).toEqual([])
})

test('the reason that a tour cannot begin is gone once the world is another one', async () => {
  await using console = await openConsole(browser, { server: { scenario: 'empty-agency' } })
  const { page, server } = console
  const reason = page.getByText('No project in this world gets another latest report')
  await page.getByRole('button', { name: 'Begin the tour: A month turns' }).click()
  await reason.waitFor()
  await server.sandbox.command({ type: 'scenario.load', scenario: 'month-rollover' })
  await reason.waitFor({ state: 'detached' })
  expect(console.complaints).toEqual([])
})
