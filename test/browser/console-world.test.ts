import type { Page } from 'playwright-core'
import type { Fixtures } from 'seo-sandbox'
import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { looks } from './looks.ts'
import { toDay, toMinute } from '../../src/wording/times.ts'
import type { PositionHistory } from '../../src/console/api/types.ts'
import { findSerious, findSqueezed, openConsole } from './console.ts'
import type { OpenConsole } from './console.ts'

/** The World panel of the console, in Chromium: the latest report, the reason for it, and the time until another takes over. */

useChromium()

const NOW = '2026-11-18T09:30:00.000000Z'
const OPTIONS = { now: NOW, frozen: true }

const openProject = (project = 101, options = {}): Promise<OpenConsole> =>
  openConsole(browser, {
    address: `?panel=world&project=${project}`,
    server: { ...OPTIONS, ...options },
  })

const slider = (page: Page) => page.getByRole('slider', { name: 'World clock' })

/** Returns the types of the commands that the world received. */
const commandsOf = ({ server }: OpenConsole): string[] =>
  server.sandbox.world.journal.commands.map(({ command }) => (command as { type: string }).type)

test.each(looks)(
  'a project in the $theme theme, $width px wide: nothing serious for axe, nothing wider than the screen',
  async ({ theme, width }) => {
    const address = '?panel=world&project=101'
    await using console = await openConsole(browser, { address, theme, width, server: OPTIONS })
    const { page, server, complaints } = console
    await page.getByRole('button', { name: 'Read its texts' }).click()
    await page.getByText('Fisk, der blev landet i morges').waitFor()
    expect(await findSerious(page)).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await page.goto(`${server.url}/?panel=world`)
    await page.getByRole('row', { name: 'Kædeskov Cykler' }).waitFor()
    expect(await findSerious(page)).toEqual([])
    expect(complaints).toEqual([])
  },
)

test(
  'shows which report is the latest, why, why none of the others, and until when (4.5)',
  { tags: ['core'] },
  async () => {
    await using console = await openProject()
    const { page } = console
    await page.getByRole('heading', { name: 'latest is report 3' }).waitFor()
    await page.getByText('It is completed, and its date 1 Nov 2026 is the latest').waitFor()
    await page.getByText('Its date 1 Oct 2026 is not in November 2026.').waitFor()
    // The two nearest reports; the rest is shown on request.
    const reason = page.getByText(
      'It is not completed (pending), and rule 4.5(1) found one that is.',
    )
    expect(await reason.innerText()).toMatch(/found one that is\.\s*$/)
    const others = page.getByText('1 other', { exact: true })
    await expect
      .poll(() => page.getByText(`Its date ${toDay('2026-09-01')}`).isVisible())
      .toBe(false)
    await others.click()
    await page.getByText(`Its date ${toDay('2026-09-01')}`).waitFor()
    const candidates = page.locator('.candidates').getByRole('link')
    await expect.poll(() => candidates.allTextContents()).toEqual(['4', '2', '1'])
    await page.getByText('Until Tue 1 Dec, 00:00, in 12 d, unless').waitFor()
    await page.getByRole('tab', { name: 'last-generated' }).click()
    await page.getByRole('heading', { name: 'last-generated is report 3' }).waitFor()
    await page
      .getByText('Until a report is changed: time alone does not change the answer.')
      .waitFor()
    expect(console.complaints).toEqual([])
  },
)

const PENDING = { status: 'pending', created_at: '2026-10-01T00:00:00Z' } as const
/** A project whose reports move with time. */
const MOVING: Fixtures = {
  version: 1,
  progress: { mode: 'time' },
  agencies: [{ id: 1, name: 'Klitrose' }],
  projects: [
    {
      id: 101,
      agency: 1,
      name: 'Rødspætte',
      status: 'active',
      created_at: '2026-10-01T00:00:00Z',
      reports: [
        { ...PENDING, id: 1, report_number: 1, date_to_create_texts: '2026-11-20' },
        { ...PENDING, id: 2, report_number: 2, date_to_create_texts: '2026-12-20' },
      ],
    },
  ],
}

test('without a latest report, it says why none is', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=world&project=105',
    server: { scenario: 'latest-404' },
  })
  const { page } = console
  await page.getByText('No regular report of the project is completed for this month').waitFor()
  await page.getByRole('heading', { name: 'Why none' }).waitFor()
  // The 404 has a shape of its own, as it is no report.
  const fillOf = (lane: string) =>
    page.evaluate(
      `getComputedStyle(document.querySelector('ol[aria-label=${lane}] .current')).backgroundColor`,
    )
  expect(await fillOf('latest')).not.toBe(await fillOf('last-generated'))
  await page.getByText(/^Its action type is .*extra.*; only regular reports count/).waitFor()
  expect(console.complaints).toEqual([])
})

test('says when another report is the latest, not when the same one is completed', async () => {
  await using console = await openProject(101, { fixtures: MOVING })
  const { page, server } = console
  await page
    .getByText(
      'Until Tue 1 Dec, 00:00, in 12 d, unless a report is changed. Then report 2, pending, becomes latest.',
    )
    .waitFor()
  expect(server.sandbox.explain(101)?.latest.next_change?.at).toMatch(/^2026-11-20/)
  await page.getByRole('tab', { name: 'last-generated' }).click()
  await page
    .getByText(/^Until Fri 20 Nov, .*\. Then report 1, completed, becomes last-generated\./)
    .waitFor()
})

test('goes to the moment at which that changes, and back', async () => {
  await using console = await openProject()
  const { page, server } = console
  await page.getByRole('button', { name: 'Go to 1 Dec 2026 00:00, when latest changes' }).click()
  await page.getByRole('heading', { name: 'latest is report 4' }).waitFor()
  expect(server.sandbox.clock.read().now).toBe('2026-12-01T00:00:00.000000Z')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'latest is report 3' }).waitFor()
  expect(server.sandbox.clock.read().now).toBe(NOW)
})

test('the playhead is dragged: previews without a command, and one clock.set on release', async () => {
  await using console = await openProject()
  const { page, server } = console
  const handle = await slider(page).boundingBox()
  const { x, y } = { x: handle!.x + 12, y: handle!.y + handle!.height / 2 }
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 60, y, { steps: 4 })
  await page.mouse.move(x + 110, y, { steps: 4 })
  await page.getByRole('heading', { name: /^latest would be report 4 on 1\d Dec 2026$/ }).waitFor()
  await page.getByText(/^Release to set the world clock to 1\d Dec 2026$/).waitFor()
  await expect
    .poll(() => slider(page).getAttribute('aria-valuetext'))
    .toMatch(/ Dec 2026 00:00, preview$/)
  expect(commandsOf(console)).toEqual([])
  expect(server.sandbox.clock.read().now).toBe(NOW)
  await page.mouse.up()
  await page.getByRole('heading', { name: 'latest is report 4' }).waitFor()
  expect(commandsOf(console)).toEqual(['clock.set'])
  expect(server.sandbox.clock.read().now).toMatch(/^2026-12-1\dT00:00:00/)
  expect(console.complaints).toEqual([])
})

test('Escape while dragging goes back to the world clock', async () => {
  await using console = await openProject()
  const { page } = console
  const handle = await slider(page).boundingBox()
  await page.mouse.move(handle!.x + 12, handle!.y + 40)
  await page.mouse.down()
  await page.mouse.move(handle!.x + 150, handle!.y + 40, { steps: 4 })
  await page.getByRole('heading', { name: 'would be report 4' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'latest is report 3' }).waitFor()
  await page.mouse.up()
  expect(commandsOf(console)).toEqual([])
})

/** Returns the differing rows of a comparison: field, now and then. */
const differing = (page: Page): Promise<string[][]> =>
  page.evaluate(`[...document.querySelectorAll('.before-after .differs')]
    .map(({ cells }) => [...cells].map(({ textContent }) => textContent))`)

const REPORT_4_THEN = [
  ['differs: Report number report_number', '3', '4'],
  ['differs: Status status', 'completed', 'pending'],
  ['differs: Texts due date_to_create_texts', '1 Nov 2026', '1 Dec 2026'],
]

/** Returns the position of a day on the timeline below the bars, in pixels of the page. */
async function placeOf(page: Page, day: string): Promise<{ x: number; y: number }> {
  const handle = await slider(page).boundingBox()
  const { width } = (await page.getByRole('button', { name: 'Report 4,' }).boundingBox())!
  const days = (Date.parse(day) - Date.parse(NOW)) / 86_400_000
  return { x: handle!.x + 12 + (days / 30) * (width + 4), y: handle!.y + handle!.height - 40 }
}

test('pointing at a day shows the latest report then, with what differs, and changes nothing', async () => {
  await using console = await openProject()
  const { page, server } = console
  await slider(page).waitFor()
  const { x, y } = await placeOf(page, '2026-12-10')
  await page.mouse.move(x, y)
  await page.getByRole('heading', { name: 'would be report 4 on 10 Dec 2026' }).waitFor()
  await page.getByRole('columnheader', { name: '10 Dec 2026: report 4' }).waitFor()
  await expect.poll(() => differing(page)).toEqual(expect.arrayContaining(REPORT_4_THEN))
  await page.getByRole('rowheader', { name: 'differs: Status', exact: true }).waitFor()
  // The clock's own handle stays where it is.
  await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toBe('18 Nov 2026 09:30')
  await page.getByRole('button', { name: 'As in the JSON' }).waitFor()
  // A day in the past had its answer.
  const past = await placeOf(page, '2026-11-05')
  await page.mouse.move(past.x, past.y)
  await page.getByRole('heading', { name: /^latest was .+ on \d Nov 2026$/ }).waitFor()
  await page.mouse.move(x, 790)
  await page.getByRole('heading', { name: 'latest is report 3' }).waitFor()
  await expect.poll(() => page.locator('.before-after').count()).toBe(0)
  expect(commandsOf(console)).toEqual([])
  expect(server.sandbox.clock.read().now).toBe(NOW)
  expect(console.complaints).toEqual([])
})

test('scrolling the timeline under a pointer previews no day', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=world&project=1001',
    server: { demo: true },
  })
  const { page } = console
  await page.clock.install()
  const { x, y, height } = (await slider(page).boundingBox())!
  const scrolled = () => page.evaluate('document.querySelector(".months").scrollLeft')
  const before = await scrolled()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.mouse.move(x - 100, y + height - 40)
  await page.mouse.wheel(-200, 0)
  await expect.poll(scrolled).not.toBe(before)
  await page.clock.runFor(300)
  expect(asked.filter((url) => url.includes('at='))).toEqual([])
})

test('a day that is clicked stays: all of its fields, those of the wire too, and the clock is set to it', async () => {
  await using console = await openProject()
  const { page, server } = console
  await slider(page).waitFor()
  const { x, y } = await placeOf(page, '2026-12-10')
  await page.mouse.click(x, y)
  await page.mouse.move(x, 790)
  const table = page.getByRole('table', { name: 'latest now and then' })
  await table.getByText('1 Dec 2026').waitFor()
  await page.getByRole('button', { name: 'As in the JSON' }).click()
  await table.getByText('"2026-12-01"').waitFor()
  await expect.poll(() => table.getByRole('row').count()).toBeLessThan(15)
  await page.getByRole('button', { name: 'All 14 fields' }).click()
  // As the API returns it: the header, and every field of specification 2.6.
  await expect.poll(() => table.getByRole('row').count()).toBe(15)
  expect(commandsOf(console)).toEqual([])
  await page.getByRole('button', { name: 'Set the world clock' }).click()
  await page.getByRole('heading', { name: 'latest is report 4' }).waitFor()
  expect(server.sandbox.clock.read().now).toBe('2026-12-10T00:00:00.000000Z')
  await table.waitFor({ state: 'detached' })
})

test('arrows look ahead without setting the clock, what others do is in the preview, and Escape goes back', async () => {
  await using console = await openProject()
  const { page, server } = console
  await slider(page).waitFor()
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByRole('heading', { name: 'would be report 4 on 18 Dec 2026' }).waitFor()
  await expect.poll(() => differing(page)).toEqual(expect.arrayContaining(REPORT_4_THEN))
  await server.sandbox.reports.start({ project: 101, report_number: 4 })
  await page.getByRole('button', { name: 'Report 4, being written' }).waitFor()
  await expect
    .poll(() => differing(page))
    .toContainEqual(['differs: Status status', 'completed', 'running'])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'latest is report 3' }).waitFor()
  expect(commandsOf(console)).toEqual(['report.start'])
  expect(server.sandbox.clock.read().now).toBe(NOW)
})

test('on a phone a tap shows a day, and another button goes back', async () => {
  const address = '?panel=world&project=101'
  await using console = await openConsole(browser, {
    address,
    width: 390,
    hasTouch: true,
    server: OPTIONS,
  })
  const { page } = console
  await slider(page).waitFor()
  const { x, y } = await placeOf(page, '2026-12-10')
  await page.touchscreen.tap(x, y)
  await page.getByRole('heading', { name: 'would be report 4 on 10 Dec 2026' }).waitFor()
  await expect.poll(() => differing(page)).toEqual(expect.arrayContaining(REPORT_4_THEN))
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await findSqueezed(page)).toEqual([])
  expect(await findSerious(page)).toEqual([])
  await page.getByRole('button', { name: 'Back to now' }).tap()
  await page.getByRole('heading', { name: 'latest is report 3' }).waitFor()
  expect(commandsOf(console)).toEqual([])
  expect(console.complaints).toEqual([])
})

test('a report that time completes says when, and when it is sent', async () => {
  await using console = await openProject(101, { fixtures: MOVING })
  const { page, server } = console
  const { changes } = server.sandbox.explain(101)
  const momentOf = (isIt: (report: (typeof changes)[0]['reports'][0]) => boolean): string =>
    changes.find(({ reports }) => reports.some(isIt))!.at
  const completed = momentOf(({ status }) => status === 'completed')
  const name = `Report 1, pending, due 20 Nov 2026, completed ${toMinute(completed)} if nothing is changed`
  await page.getByRole('button', { name }).waitFor()
  const [begun, sent] = [
    momentOf(({ status }) => status === 'running'),
    momentOf((one) => one.sent),
  ]
  await page
    .getByText(
      `Starts on ${toDay(begun)}, is completed on ${toDay(completed)} and sent to the customer on ${toDay(sent)}, if nothing is changed.`,
    )
    .waitFor()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('button', { name: 'Report 1, being written' }).waitFor()
  expect(console.complaints).toEqual([])
})

/** Returns the answers of an endpoint over time, as the timeline shows them. */
const answersOf = (page: Page, endpoint: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('ol[aria-label="${endpoint}"] > li')]
    .map(({ className, textContent }) => (textContent + ' ' + className.replace('span', '').trim()).trim())`)

test('the lanes have what both endpoints return over time, as the server explains it (4.5, 4.6)', async () => {
  await using console = await openProject(101, { fixtures: MOVING })
  const { page, server } = console
  await expect
    .poll(() => answersOf(page, 'latest'))
    .toEqual(['1 current', '2 from 1 Dec coming', '404 from 1 Jan coming none'])
  const [first] = await answersOf(page, 'last-generated')
  expect(first).toBe('404 current none')
  await server.sandbox.clock.set('2026-12-02T00:00:00Z')
  await expect.poll(() => answersOf(page, 'latest')).toContain('2 current')
  await page.keyboard.press('Shift+ArrowLeft')
  await expect.poll(() => answersOf(page, 'latest')).toContain('1 previewed')
  await expect.poll(() => answersOf(page, 'latest')).toContain('2 current')
  expect(console.complaints).toEqual([])
})

test('by keyboard alone: arrows and Enter move the clock by a day and a month, reports are chosen and moved on', async () => {
  await using console = await openProject()
  const { page, server } = console
  await page.getByRole('heading', { name: 'latest is report 3' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect.poll(() => server.sandbox.clock.read().now).toBe('2026-11-19T09:30:00.000000Z')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Enter')
  await expect.poll(() => server.sandbox.clock.read().now).toBe('2026-12-19T09:30:00.000000Z')
  await page.getByRole('heading', { name: 'latest is report 4' }).waitFor()
  await page.getByRole('button', { name: 'Report 4, pending, due 1 Dec 2026' }).focus()
  await page.keyboard.press('ArrowUp')
  await page.getByRole('heading', { name: 'Report 3 · completed, sent', exact: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: /^Report 4 · / }).waitFor()
  await page.getByRole('button', { name: 'Start' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Report 4, being written, due 1 Dec 2026' }).waitFor()
  expect(commandsOf(console)).toEqual(['clock.set', 'clock.set', 'report.start'])
  await page.keyboard.press('/')
  await page.keyboard.type('kædeskov')
  const row = page.getByRole('row', { name: 'Kædeskov Cykler' })
  await page.getByRole('row', { name: 'Tandklinikken Vandkanten' }).waitFor({ state: 'detached' })
  await row.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Kædeskov Cykler' }).waitFor()
  expect(page.url()).toContain('project=103')
})

test(
  'a report is taken through its life by clicks, and each click is a line of a test',
  { tags: ['core'] },
  async () => {
    await using console = await openProject()
    const { page } = console
    await page.getByRole('link', { name: 'Show report 4' }).click()
    const card = page.locator('.report')
    const buttons = () => card.getByRole('group', { name: 'What can follow' }).getByRole('button')
    for (const [step, following] of [
      ['Start', ['Complete', 'Regenerate', 'Fail']],
      ['Fail', ['Retry', 'Regenerate']],
      ['Retry', ['Complete', 'Regenerate', 'Fail']],
      ['Complete', ['Approve', 'Manage', 'Send', 'Regenerate']],
      ['Approve', ['Manage', 'Send', 'Regenerate', 'Reject']],
      ['Manage', ['Send', 'Regenerate', 'Reject']],
      ['Send', ['Regenerate', 'Reject']],
      ['Reject', ['Approve', 'Regenerate']],
      ['Regenerate', ['Approve', 'Manage', 'Send', 'Regenerate']],
    ] as const) {
      await card.getByRole('button', { name: step }).click()
      await expect.poll(() => buttons().allTextContents()).toEqual(following)
      // A double click on Retry would otherwise fail the report again.
      expect(
        await card.getByRole('button', { name: 'Fail' }).and(page.locator(':hover')).count(),
      ).toBe(0)
      const heading = await card.getByRole('heading', { level: 2 }).innerText()
      expect(heading.endsWith('completed, to approve')).toBe(following.join().includes('Approve'))
      expect(heading.endsWith('completed, sent')).toBe(step === 'Send')
    }
    await page.getByRole('button', { name: 'Create report 5' }).click()
    await page.getByRole('button', { name: 'Report 5, pending' }).waitFor()
    await page.getByRole('button', { name: 'As a test' }).click()
    const code = page.locator('#code-text')
    await expect
      .poll(() => code.textContent())
      .toContain('// Regenerated report 4 of Rødspætte & Rugbrød.')
    await expect
      .poll(() => code.textContent())
      .toContain('// Created the next report of Rødspætte & Rugbrød.')
    expect(console.complaints).toEqual([])
  },
)

test('every step of a report is undone, and so is a report that was created', async () => {
  await using console = await openProject()
  const { page, server } = console
  const reportsOf = () => structuredClone(server.sandbox.world.records.reportsOf(101))
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const take = async (step: string, sentence: string): Promise<void> => {
    const before = reportsOf()
    await click(step)
    // The code of an earlier step may have the same sentence.
    await expect.poll(reportsOf).not.toEqual(before)
    await page.locator('.did').getByText(sentence).waitFor()
  }
  const takeBack = async (step: string, sentence: string): Promise<void> => {
    const before = reportsOf()
    await take(step, sentence)
    await click('Undo')
    await expect.poll(reportsOf).toEqual(before)
    await page.getByRole('button', { name: step, exact: true }).waitFor()
  }
  await page.getByRole('link', { name: 'Show report 4' }).click()
  await takeBack('Start', 'Started report 4')
  await takeBack('Complete', 'Completed report 4')
  await takeBack('Fail', 'Failed report 4')
  await takeBack('Create report 5', 'Created the next report')
  await take('Fail', 'Failed report 4')
  await takeBack('Retry', 'Retried report 4')
  await takeBack('Regenerate', 'Regenerated report 4')
  await take('Retry', 'Retried report 4')
  await take('Complete', 'Completed report 4')
  await takeBack('Approve', 'Approved report 4')
  await takeBack('Manage', 'Managed report 4')
  await takeBack('Send', 'Sent report 4')
  await takeBack('Regenerate', 'Regenerated report 4')
  await expect.poll(() => page.locator('.notices').textContent()).toBe('')
})

test('a step of a report that time moves on is undone, and it moves on as before', async () => {
  await using console = await openProject(101, { fixtures: MOVING })
  const { page, server } = console
  const { world } = server.sandbox
  const undo = page.getByRole('button', { name: 'Undo' })
  const lives = () =>
    [0, 3, 9, 40].map((days) =>
      structuredClone(world.records.reportsOf(101, Date.parse(NOW) + days * 86_400_000)),
    )
  const before = lives()
  await page.getByRole('button', { name: 'Create report 3' }).click()
  await undo.click()
  await expect.poll(lives).toEqual(before)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.did').getByText('Started report 1').waitFor()
  await undo.click()
  await page.locator('.did').waitFor({ state: 'detached' })
  expect(lives()).toEqual(before)
  expect(console.complaints).toEqual([])
})

test('a search finds a project from the end of a long list', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=world',
    server: { generate: { projects: 300 }, seed: '1' },
  })
  const { page, server } = console
  const names = server.sandbox.world.records.all('projects').map(({ name }) => name)
  await page.getByRole('row').nth(1).waitFor()
  const table = page.getByRole('region', { name: 'Projects' }).locator('.table')
  const last = page.getByRole('row', { name: names.at(-1)! })
  // The list grows while its pages arrive.
  await expect
    .poll(async () => {
      await table.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      return last.count()
    })
    .toBeGreaterThan(0)
  await page.getByRole('searchbox', { name: 'Search projects' }).fill(names[0]!)
  await page.getByRole('row', { name: names[0]! }).first().waitFor()
  expect(console.complaints).toEqual([])
})

test('the list has the state of each latest report (4.5), also when it changes', async () => {
  await using console = await openProject()
  const { page, server } = console
  await page
    .getByRole('row', { name: 'Kafferisteriet Tusmørke Report 2 · being written 106' })
    .waitFor()
  await page.getByRole('row', { name: 'Bryghuset Tågehorn No latest report' }).waitFor()
  await server.sandbox.command({ type: 'report.complete', report: 510_602 })
  await page.getByRole('row', { name: 'Kafferisteriet Tusmørke Report 2 · completed' }).waitFor()
  expect(console.complaints).toEqual([])
})

test('the report of a paused project is paused in the list, not late, and no report is due', async () => {
  const server = { ...OPTIONS, demo: true }
  await using console = await openConsole(browser, { address: '?panel=world&project=1025', server })
  const { page } = console
  const { name } = console.server.sandbox.world.records.get('projects', 1025)!
  const { now, wait, latest } = console.server.sandbox.explain(1025)
  expect(latest.selected!.date_to_create_texts! < now.slice(0, 10)).toBe(true)
  expect(wait).toBeNull()
  await page.getByText('No report is due while the project is paused.').waitFor()
  expect(await page.getByText('Late:').count()).toBe(0)
  const search = page.getByRole('searchbox')
  await search.fill(name)
  await page.getByRole('row', { name: new RegExp(`^${name} Report \\d+ · paused 1025$`) }).waitFor()
  expect(console.complaints).toEqual([])
})

test('projects that need attention are listed as on Overview: failed reports before late ones', async () => {
  await using console = await openConsole(browser, { server: { demo: true } })
  const { page, server, show } = console
  const names = [1011, 1004].map((id) => server.sandbox.world.records.get('projects', id)!.name)
  for (const [panel, list] of [
    ['overview', page.locator('.ill li')],
    ['world', page.getByRole('navigation', { name: 'Needs attention' }).getByRole('listitem')],
  ] as const) {
    await show(`?panel=${panel}`)
    await list.first().waitFor()
    const texts = await list.allTextContents()
    expect(texts.map((text, index) => text.includes(names[index]!))).toEqual([true, true])
  }
  expect(console.complaints).toEqual([])
})

test('a completed report leads to its texts, and names its people', async () => {
  await using console = await openProject()
  const { page } = console
  const text = page.getByText('Fisk, der blev landet i morges')
  await page.getByRole('button', { name: 'Read its texts' }).click()
  await expect.poll(async () => (await text.boundingBox())?.y ?? 1e3).toBeLessThan(760)
  // Clicking the chosen keyword closes it again.
  await page.locator('.keyword[aria-expanded=true]').click()
  await text.waitFor({ state: 'detached' })
  await page.locator('.report').getByText('Liv Sørbakken 13').waitFor()
  await page.getByRole('link', { name: 'Show report 4' }).click()
  await page.getByRole('heading', { name: /^Report 4 · / }).waitFor()
  await page.getByRole('button', { name: 'Read its texts' }).waitFor({ state: 'detached' })
})

test('fields are in words beside their names, ids with names, lists as lists, and null as a dash', async () => {
  await using console = await openProject()
  const { page } = console
  const field = (within: string, name: string) =>
    page.locator(`${within} .fields div`).filter({ has: page.getByText(name, { exact: true }) })
  const read = (within: string, name: string) => field(within, name).allTextContents()
  await page.locator('.report').waitFor()
  await expect
    .poll(() => read('.report', 'approved_by'))
    .toEqual(['Approved by approved_byLiv Sørbakken 13'])
  await expect
    .poll(() => read('.report', 'date_to_create_texts'))
    .toEqual(['Texts due date_to_create_texts1 Nov 202617 days ago'])
  await page.getByRole('link', { name: 'Show report 4' }).click()
  await page.getByRole('heading', { name: /^Report 4 · / }).waitFor()
  await page.getByRole('button', { name: /^All \d+ fields$/ }).click()
  await expect
    .poll(() => read('.report', 'approved_status'))
    .toEqual(['Approved status approved_status–'])
  await expect.poll(() => read('.report', 'sent')).toEqual(['Sent sentno'])
  await page.getByText('All 17 fields of the project').click()
  await expect.poll(() => read('.sub', 'country')).toEqual(['Country countryDenmark 45'])
  await expect
    .poll(() => read('.sub', 'text_language'))
    .toEqual(['Text language text_languageDanish 1'])
  await expect
    .poll(() => read('.sub', 'managing_user'))
    .toEqual([expect.stringMatching(/^Managing user managing_user\p{L}.+ 11$/u)])
  const mails = field('.sub', 'client_emails').getByRole('listitem')
  await expect
    .poll(() => mails.allTextContents())
    .toEqual(['kontakt@roedspaette.example', 'koekken@roedspaette.example'])
  expect(await findSerious(page)).toEqual([])
})

/** Records the painted state of a project, in every frame that differs from the previous one. */
const WATCH = `{
  window.painted = []
  const textOf = (selector) => document.querySelector(selector)?.textContent ?? ''
  const look = () => {
    const state = [
      textOf('.why h2'),
      textOf('.report h2'),
      document.querySelector('.bar-button[aria-pressed=true]').ariaLabel,
      textOf('ol[aria-label=latest] .current'),
      document.querySelector('.playhead').ariaValueText,
      textOf('.projects [aria-selected=true] .state'),
    ].join(' | ')
    if (painted.at(-1) !== state) painted.push(state)
    requestAnimationFrame(look)
  }
  look()
}`

test('what is read again is marked, and all of it is painted together', async () => {
  await using console = await openProject()
  const { page } = console
  const row = page.locator('.projects [aria-selected=true]')
  await row.getByText('Report 3 · completed').waitFor()
  await page.locator('.bar-button[aria-pressed=true]').waitFor()
  const held: (() => void)[] = []
  await page.route('**/_sandbox/reports/*/links*', async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  const release = async (): Promise<void> => {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    await page.locator('.project[aria-busy=true]').waitFor()
    for (const proceed of held.splice(0)) proceed()
    await page.locator('.project[aria-busy=false]').waitFor()
  }
  await page.evaluate(WATCH)
  await page.getByRole('button', { name: 'Go to 1 Dec 2026 00:00, when latest changes' }).click()
  await page.locator('.clock').getByText('1 Dec, 00:00').first().waitFor()
  await release()
  await page.getByRole('heading', { name: /^Report 4 · / }).waitFor()
  await page.getByRole('link', { name: 'Show report 2' }).click()
  await release()
  await page.getByRole('heading', { name: 'Report 2 · completed, sent', exact: true }).waitFor()
  await expect
    .poll(() => page.evaluate('painted'))
    .toEqual([
      'latest is report 3 | Report 3 · completed, sent | Report 3, completed, due 1 Nov 2026 | 3 | 18 Nov 2026 09:30 | Report 3 · completed',
      'latest is report 4 | Report 4 · pending | Report 4, pending, due 1 Dec 2026 | 4 | 1 Dec 2026 00:00 | Report 4 · pending',
      'latest is report 4 | Report 2 · completed, sent | Report 2, completed, due 1 Oct 2026 | 4 | 1 Dec 2026 00:00 | Report 4 · pending',
    ])
  expect(console.complaints).toEqual([])
})

test('a running clock that comes to a change shows it without being asked', async () => {
  await using console = await openProject(101, { now: '2026-11-30T23:59:57Z', frozen: false })
  await console.page.getByRole('heading', { name: 'latest is report 4' }).waitFor()
  expect(commandsOf(console)).toEqual([])
})

test('the links of a report are those that the API returns, and lead to its pages', async () => {
  await using console = await openProject()
  const { page, server } = console
  const showAll = () => page.getByRole('button', { name: /^All \d+ fields$/ }).click()
  await showAll()
  const link = (name: string) => page.locator('.report .fields div', { hasText: name }).locator('a')
  await expect
    .poll(() => link('pdf_link').getAttribute('href'))
    .toMatch(/^https:\/\/files\.klitrose\.example/)
  await server.sandbox.reports.complete({ project: 101, report_number: 4 })
  await page.getByRole('link', { name: 'Show report 4' }).click()
  for (const [name, type] of [
    ['web_link', 'text/html'],
    ['pdf_link', 'application/pdf'],
  ] as const) {
    await link(name).getByText(`${server.url}/reports/`).waitFor()
    const { status, headers } = await fetch((await link(name).getAttribute('href'))!)
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining(type)])
  }
  expect(console.complaints).toEqual([])
})

test('the positions of a report are those of its month, as on its pages; one of a later month that is not completed has none', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=world&project=1001&report=10',
    server: { demo: true },
  })
  const { page, context, server } = console
  const actions = page.locator('.section.report')
  await page.getByRole('heading', { name: 'Report 10 · completed, sent', exact: true }).waitFor()
  const pdf = await actions.getByRole('link', { name: 'PDF' }).getAttribute('href')
  expect((await fetch(pdf!)).headers.get('content-type')).toContain('application/pdf')
  const [web] = await Promise.all([
    context.waitForEvent('page'),
    actions.getByRole('link', { name: 'Open report' }).click(),
  ])
  await web.locator('table').first().waitFor()
  const onPage = await web.evaluate<Record<string, string[]>>(`Object.fromEntries(
    [...document.querySelectorAll('tbody tr')].map((row) => [
      row.querySelector('th').firstChild.textContent,
      [...row.querySelectorAll('td')].map((cell) => cell.textContent.match(/\\d+/)?.[0]),
    ]))`)
  const inConsole = await page.evaluate<Record<string, string[]>>(`Object.fromEntries(
    [...document.querySelectorAll('#texts tbody tr')].map(({ cells }) => [
      cells[0].querySelector('bdi').textContent,
      [cells[1], cells[2]].map(({ textContent }) => textContent.replace('same', '0').match(/\\d+/)?.[0]),
    ]))`)
  expect(Object.keys(onPage).length).toBeGreaterThan(3)
  expect(inConsole).toMatchObject(onPage)
  // They have changed since.
  const now = server.sandbox.world.records.keywordsOf(1001)
  expect(now.some((one) => String(one.latest_position) !== onPage[one.keyword]?.[0])).toBe(true)

  const reports = server.sandbox.world.records.reportsOf(1001)
  const { report_number: pending } = reports.find(({ status }) => status === 'pending')!
  await page.getByRole('link', { name: `Show report ${pending}` }).click()
  await page.getByRole('heading', { name: `Keywords of report ${pending}` }).waitFor()
  await page.getByRole('columnheader', { name: 'Position' }).waitFor({ state: 'detached' })
  expect(await actions.getByRole('link').count()).toBe(0)
  // The report of project 1004 is late.
  await console.show('?panel=world&project=1004')
  await actions.getByText('late').first().waitFor()
  await page.getByRole('columnheader', { name: 'Position' }).waitFor()
  expect(console.complaints).toEqual([])
})

test('the keywords on the first page a year ago are compared with those that were tracked then', async () => {
  await using console = await openConsole(browser, { server: { demo: true } })
  const { page, server } = console
  for (const project of [1001, 1002, 1003]) {
    const response = await fetch(
      `${server.url}/_sandbox/projects/${project}/positions?from=2025-03`,
    )
    const { months, keywords } = (await response.json()) as PositionHistory
    const active = keywords.filter((keyword) => keyword.active)
    const first = months.findIndex((_, month) =>
      active.some(({ positions }) => positions[month] !== null),
    )
    const tracked = active.filter(
      ({ create_date, positions }) =>
        create_date.slice(0, 7) < months[first]! || positions[first] !== null,
    )
    const [was, is] = [first, -1].map(
      (month) => active.filter(({ positions }) => (positions.at(month) ?? 99) <= 10).length,
    )
    await console.show(`?panel=world&project=${project}`)
    const now = `^${is || 'None'} of ${active.length} .*keywords on the first page`
    const then = `; ${was || 'none'} of ${tracked.length} in \\w+ \\d+\\.`
    await page.getByText(new RegExp(now + then)).waitFor()
  }
  expect(console.complaints).toEqual([])
})

test('the HTML of the API is rendered in a frame that runs nothing', async () => {
  await using console = await openProject()
  const { page } = console
  await page.getByRole('button', { name: 'Read its texts' }).click()
  await page.getByRole('tab', { name: 'HTML' }).click()
  await page.getByRole('button', { name: 'Get the HTML' }).click()
  const frame = page.frameLocator('iframe.html')
  await frame.getByRole('heading', { name: 'Fisk, der blev landet i morges' }).waitFor()
  await expect.poll(() => page.locator('iframe.html').getAttribute('sandbox')).toBe('')
  // The policy allows its style.
  const heading = frame.getByRole('heading').first()
  await expect
    .poll(() => heading.evaluate('getComputedStyle(document.querySelector("h3")).fontSize'))
    .toBe('14px')
  expect(await findSerious(page)).toEqual([])
  expect(console.complaints).toEqual([])
})

test('a long list loads the pages that come into view, and follows what is added', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=world',
    server: { ...OPTIONS, generate: { projects: 2500 } },
  })
  const { page, server } = console
  const rowAt = (index: number) => page.locator(`.projects [data-index="${index}"] bdi`)
  await rowAt(0).waitFor()
  await page.evaluate('document.querySelector(".projects .table").scrollTop = 1e9')
  await rowAt(2499).waitFor()
  await expect.poll(() => page.locator('.projects tbody tr[data-index]').count()).toBeLessThan(60)
  const [{ agency } = { agency: 0 }] = server.sandbox.world.records.all('projects')
  await server.sandbox.command({
    type: 'record.put',
    collection: 'projects',
    record: { id: 9_999_999, agency, name: 'The newest', status: 'active', created_at: NOW },
  })
  await page.getByRole('link', { name: 'World 2,501' }).waitFor()
  await page.evaluate('document.querySelector(".projects .table").scrollTop = 1e9')
  await page.getByRole('row', { name: 'The newest' }).click()
  await page.getByRole('heading', { name: 'The newest' }).waitFor()
  expect(console.complaints).toEqual([])
})

test('a world without projects, and a project without reports, say what fills them', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=world',
    server: { ...OPTIONS, scenario: 'empty-agency' },
  })
  const { page } = console
  await page.getByRole('heading', { name: 'There are no projects' }).waitFor()
  await page.getByRole('button', { name: 'Load a scenario with projects' }).click()
  await page.getByRole('heading', { name: /^latest is/ }).waitFor()
  await console.server.sandbox.command({ type: 'scenario.load', scenario: 'latest-404' })
  await page.getByRole('button', { name: 'Create report 1' }).click()
  await page.getByRole('button', { name: 'Report 1, pending' }).waitFor()
  expect(commandsOf(console)).toContain('report.create')
})

test('a project that does not exist is said, and another one is offered', async () => {
  await using console = await openProject(999_999)
  const { page } = console
  await page.getByText('There is no project 999999').waitFor()
  await page.getByRole('button', { name: 'Show another project' }).click()
  await page.getByRole('heading', { name: 'Rødspætte & Rugbrød' }).waitFor()
  expect(page.url()).not.toContain('project=')
})
