import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { findSerious, openConsole } from './console.ts'

/** The panels Faults, Policies and Scenarios, which change how the API behaves. */

useChromium()

test(
  'a fault is armed by a form, shows what it did, and is disarmed',
  { tags: ['core'] },
  async () => {
    await using console = await openConsole(browser, { address: '?panel=faults' })
    const { page, server } = console
    await page.getByText('No faults are armed').waitFor()
    await page.getByLabel('Status', { exact: true }).selectOption('502')
    await page.getByLabel('To requests for').selectOption('GET /projects')
    await page.getByLabel('Which of them').selectOption({ label: 'The first few' })
    await page.getByLabel('How many').fill('1')
    await page.getByRole('button', { name: 'Arm this fault' }).click()
    const armed = page.locator('.armed')
    await armed.getByText('The next request for GET /projects gets a 502').waitFor()
    expect(server.sandbox.faults.list()).toMatchObject([
      { kind: 'status', status: 502, endpoint: 'GET /projects', schedule: { first: 1 } },
    ])
    const headers = { authorization: 'Bearer sandbox-agency' }
    const { status } = await server.sandbox.fetch('/api/v1/projects', { headers })
    expect(status).toBe(502)
    // A fault that is done counts no more.
    await page.getByRole('link', { name: 'Faults', exact: true }).first().waitFor()
    await page.getByRole('heading', { name: 'All done' }).waitFor()
    await page.getByText('affected 1 matching request').waitFor()
    await armed.getByText('The first request for GET /projects got a 502').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove it, fault 1' }).click()
    await page.getByText('No faults are armed').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('affected 1 matching request').waitFor()
    // Undo restores the same fault instead of arming another.
    expect(server.sandbox.faults.list()).toMatchObject([{ id: 1, matched: 1, exhausted: true }])
    expect(console.complaints).toEqual([])
  },
)

test.each([
  ['The first few', 'How many', 'The next two requests get a 503'],
  ['Every few', 'At each multiple of', 'Every second request gets a 503'],
  ['Only one', 'Its number', 'The second request from now gets a 503'],
])('“%s” without its number arms nothing, and the field says so', async (choice, field, armed) => {
  await using console = await openConsole(browser, { address: '?panel=faults' })
  const { page, server } = console
  await page.getByText('No faults are armed').waitFor()
  await page.getByLabel('Which of them').selectOption({ label: choice })
  const number = page.getByLabel(field)
  const arm = page.getByRole('button', { name: 'Arm this fault' })
  for (const missing of ['', ' ']) {
    await number.fill(missing)
    await arm.click()
    await expect.poll(() => number.evaluate((input) => input.matches(':focus:invalid'))).toBe(true)
  }
  expect(server.sandbox.faults.list()).toEqual([])
  await number.fill('2')
  await arm.click()
  await page.locator('.armed').getByText(armed).waitFor()
  expect(console.complaints).toEqual([])
})

test('eight common faults are armed by a click each, and say as sentences what they do', async () => {
  await using console = await openConsole(browser, { address: '?panel=faults' })
  const { page, server } = console
  await page.getByText('No faults are armed').waitFor()
  const presets = page.locator('.presets').getByRole('button')
  await expect.poll(() => presets.count()).toBe(8)
  await presets.filter({ hasText: 'Two 503s, then fine' }).click()
  const sentence = (text: string) => page.locator('.armed').getByText(text, { exact: true })
  await sentence('The next two requests get a 503').waitFor()
  const ask = async () => {
    const headers = { authorization: 'Bearer sandbox-agency' }
    return (await fetch(`${server.url}/api/v1/me`, { headers })).status
  }
  expect(await ask()).toBe(503)
  await sentence('The next request gets a 503').waitFor()
  expect([await ask(), await ask()]).toEqual([503, 200])
  await sentence('The first two requests got a 503').waitFor()
  for (const preset of await presets.all()) {
    const before = server.sandbox.faults.list().length
    await preset.click()
    await expect.poll(() => server.sandbox.faults.list().length).toBe(before + 1)
  }
  await expect.poll(() => page.locator('.armed li').count()).toBe(9)
  expect(await findSerious(page)).toEqual([])
  expect(console.complaints).toEqual([])
})

test('the form takes a date in Retry-After as it is written in JSON, and text as it is', async () => {
  await using console = await openConsole(browser, { address: '?panel=faults' })
  const { page, server } = console
  await page.getByText('No faults are armed').waitFor()
  for (const [text, words] of [
    ['{ date_in: 120 }', 'is a date, 120 s later'],
    ['soon', 'is “soon”'],
  ] as const) {
    await page.getByLabel('When to retry').fill(text)
    await page.getByRole('button', { name: 'Arm this fault' }).click()
    await page.getByText(`Every request gets a 503 whose Retry-After ${words}`).waitFor()
  }
  expect(server.sandbox.faults.list()).toMatchObject([
    { retry_after: { date_in: 120 } },
    { retry_after: 'soon' },
  ])
  expect(console.complaints).toEqual([])
})

test('a delay of every response is no fault: it is said apart, and stopped by itself', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=faults',
    server: { latency: '1-2' },
    width: 390,
  })
  const { page, server } = console
  const kinds = () => server.sandbox.faults.list().map(({ kind }) => kind)
  await page.getByText('No faults are armed').waitFor()
  await page.getByText('Every response is delayed by 1 to 2 ms').waitFor()
  const more = page.getByRole('dialog', { name: 'More' })
  const isListed = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await more.getByRole('link', { name, exact: true }).waitFor()
    await more.getByRole('button', { name: 'Close' }).click()
  }
  await isListed('Faults')
  await page.getByRole('button', { name: 'Arm this fault' }).click()
  await page.getByText('gets a 503').waitFor()
  await isListed('Faults 1')
  await page.getByRole('button', { name: 'Disarm all' }).click()
  await expect.poll(kinds).toEqual(['latency'])
  // The delay is armed again under a new id, and the page has read that id by then.
  await page.getByText('No faults are armed').waitFor()
  expect(await findSerious(page)).toEqual([])
  await page.getByRole('button', { name: 'Stop the delay' }).click()
  await expect.poll(kinds).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Every response is delayed by 1 to 2 ms').waitFor()
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(console.complaints).toEqual([])
})

test('what something else has changed since is not undone, and a sentence says so', async () => {
  await using console = await openConsole(browser, { address: '?panel=faults' })
  const { page, server } = console
  const undo = page.getByRole('button', { name: 'Undo' })
  const refusal = page.getByText('Something else has changed the same thing since')
  await page.getByRole('button', { name: 'Arm this fault' }).click()
  await page.getByText('No faults are armed').waitFor({ state: 'detached' })
  await undo.waitFor()
  await server.sandbox.faults.clear()
  await server.sandbox.faults.add({ kind: 'html' })
  await undo.click()
  await refusal.waitFor()
  expect(server.sandbox.faults.list()).toMatchObject([{ id: 2, kind: 'html' }])
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('Advanced both clocks by a day').first().waitFor()
  await server.sandbox.clock.set('2027-01-01T00:00:00Z')
  await undo.click()
  await refusal.waitFor()
  expect(server.sandbox.clock.read().now).toBe('2027-01-01T00:00:00.000000Z')
  await page.getByText('2 steps so far').waitFor()
  expect(console.complaints).toEqual([])
})

test('every kind of fault has a form, and a mistake in one is said in a sentence', async () => {
  await using console = await openConsole(browser, { address: '?panel=faults' })
  const { page, server } = console
  const kind = page.getByLabel('What happens')
  await kind.waitFor()
  const titles = await kind.locator('option').allInnerTexts()
  const armed = () => server.sandbox.faults.list().map((fault) => fault.kind)
  const kinds: string[] = []
  for (const title of titles) {
    kinds.push(/\((.+)\)$/.exec(title)?.[1] ?? '')
    await kind.selectOption({ label: title })
    await page.getByRole('button', { name: 'Arm this fault' }).click()
    await expect.poll(armed).toEqual(kinds)
  }
  // A delay of every response is listed separately.
  await expect.poll(() => page.locator('.armed li').count()).toBe(kinds.length - 1)
  await page.getByText('Every response is delayed by 2 s').waitFor()
  await kind.selectOption('latency')
  await page.getByLabel('Milliseconds', { exact: true }).fill('never')
  await page.getByRole('button', { name: 'Arm this fault' }).click()
  const field = page.locator('label', { has: page.locator('input:focus') })
  await field.getByRole('alert').getByText('"never"').waitFor()
  await page.getByRole('button', { name: 'Disarm all' }).click()
  await page.getByText('No faults are armed').waitFor()
})

test('a choice of a policy is in force at once, is undone, and goes back to the default', async () => {
  await using console = await openConsole(browser, { address: '?panel=policies' })
  const { page, server } = console
  const missing = () => server.sandbox.world.policies['missing-token']
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('G-001')
  await page.getByText('1 of 88').waitFor()
  const policy = page.getByLabel('missing-token')
  // Each choice describes its effect before it is made.
  await page
    .getByText('or 302: a redirect to /login unless the request accepts JSON, then 401')
    .waitFor()
  await policy.selectOption('403')
  await page.getByText('403: Forbidden', { exact: true }).waitFor()
  await expect.poll(missing).toBe('403')
  await page.getByRole('link', { name: 'Policies 1 set' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(missing).toBe('401')
  await policy.selectOption('302')
  await page.getByRole('button', { name: 'Back to 401' }).click()
  await expect.poll(missing).toBe('401')
  await page.getByRole('link', { name: 'Policies', exact: true }).waitFor()
  await page.getByRole('searchbox').fill('nothing has this word')
  await page.getByText('No question matches').waitFor()
  expect(console.complaints).toEqual([])
})

test('changed policies come first, and the others by topic, which a press or a search opens', async () => {
  await using console = await openConsole(browser, {
    address: '?panel=policies',
    server: { policies: { 'missing-token': '403', 'rate-window': 'sliding' } },
  })
  const { page, server } = console
  const policy = (name: string) => page.getByLabel(`(${name})`)
  const topic = (name: string, state = '[open]') =>
    page.locator(`details${state} > summary`, { hasText: name })
  const changed = page.locator('section', { hasText: 'Not the default' })
  await expect.poll(() => changed.getByRole('listitem').count()).toBe(2)
  expect(await findSerious(page)).toEqual([])
  await changed.getByText('missing-token').waitFor()
  await expect.poll(() => page.locator('select').count()).toBe(2)
  await page.getByRole('button', { name: 'Fixed', exact: true }).click()
  await expect.poll(() => changed.count()).toBe(0)
  await page.getByRole('button', { name: 'All', exact: true }).click()
  // A changed question is not listed in its topic too, unless it was changed there: then no row moves.
  await topic('Tokens 10', ':not([open])').click()
  await policy('disabled-token').selectOption('403')
  await expect.poll(() => changed.getByRole('listitem').count()).toBe(3)
  await expect.poll(() => policy('disabled-token').count()).toBe(2)
  await page.getByText('Fixed, cannot be set').first().waitFor()
  expect(await findSerious(page)).toEqual([])
  await page.getByRole('button', { name: 'Set all to their defaults' }).click()
  await changed.waitFor({ state: 'detached' })
  expect(server.sandbox.world.policies).toMatchObject({
    'missing-token': '401',
    'disabled-token': '401',
    'rate-window': 'fixed',
  })
  for (const summary of await page.locator('.topics summary').all()) await summary.click()
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(CUT_LABELS)).toEqual([])
  }
  await page.getByRole('searchbox').fill('calendar month')
  await topic('Which report is latest 1').waitFor()
  await policy('month-time-zone').fill('Europe/Rome')
  await policy('month-time-zone').press('Enter')
  await page.getByRole('button', { name: 'Back to UTC' }).waitFor()
  expect(server.sandbox.world.policies['month-time-zone']).toBe('Europe/Rome')
  await page.getByRole('button', { name: 'Fixed', exact: true }).click()
  await page.getByText('No question matches').waitFor()
  await page.getByRole('button', { name: 'Show all questions' }).click()
  // The topics list every question.
  const titles = await page.locator('.topics summary').allInnerTexts()
  const counted = titles.reduce((sum, title) => sum + Number(/\d+$/.exec(title)?.[0]), 0)
  expect(counted).toBe(server.sandbox.gaps.length)
  expect(console.complaints).toEqual([])
})

/** Options that do not fit into their closed choice. */
const CUT_LABELS = `[...document.querySelectorAll('.gaps select')].flatMap((select) => {
  const { paddingInlineStart, paddingInlineEnd, font } = getComputedStyle(select)
  const canvas = document.createElement('canvas').getContext('2d')
  canvas.font = font
  const room = select.clientWidth - parseFloat(paddingInlineStart) - parseFloat(paddingInlineEnd)
  return [...select.options].map(({ text }) => text).filter((text) => canvas.measureText(text).width > room)
})`

test('a scenario replaces the world when that was confirmed, and a reset restores it', async () => {
  await using console = await openConsole(browser, { address: '?panel=scenarios' })
  const { page, server } = console
  const projects = () => server.sandbox.world.records.all('projects').length
  const before = projects()
  await page.getByRole('button', { name: 'Load empty-agency' }).click()
  await page.getByRole('button', { name: 'Keep this world' }).click()
  expect(projects()).toBe(before)
  await page.getByRole('button', { name: 'Load empty-agency' }).click()
  await page.getByRole('button', { name: 'Load it' }).click()
  await page.getByText('This world is the scenario empty-agency now').waitFor()
  expect(projects()).toBe(0)
  await page.getByRole('button', { name: 'Reset the world' }).click()
  await page.getByRole('button', { name: 'Reset it' }).click()
  await page.getByText('The world is as it was loaded.').waitFor()
  expect(projects()).toBe(before)
  expect(console.complaints).toEqual([])
})

test('loading a scenario and a reset are undone, after asking where others have changed something', async () => {
  await using console = await openConsole(browser, { address: '?panel=scenarios' })
  const { page, server } = console
  const { sandbox } = server
  await sandbox.clock.set('2026-05-01T00:00:00Z')
  const now = () => sandbox.clock.read().now.slice(0, 10)
  const undo = page.getByRole('button', { name: 'Undo' })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Load empty-agency' }).click()
  await page.getByRole('button', { name: 'Load it' }).click()
  // A step that is taken back is no change by others.
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('2 steps so far').waitFor()
  await undo.click()
  await page.getByText('2 steps so far').waitFor({ state: 'detached' })
  await undo.click()
  await expect.poll(now).toBe('2026-05-01')
  // The notice of the scenario is true no more.
  await page.getByText('The world is as it was before.').waitFor()
  expect(await page.getByText('This world is the scenario').count()).toBe(0)
  expect(sandbox.world.records.all('projects')).not.toHaveLength(0)
  await page.getByRole('button', { name: 'Reset the world' }).click()
  await page.getByRole('button', { name: 'Reset it' }).click()
  await page.getByText('The world is as it was loaded.').waitFor()
  await sandbox.clock.set('2026-06-01T00:00:00Z')
  await undo.click()
  await dialog.getByText('Traffic lists them.').waitFor()
  await dialog.getByRole('button', { name: 'Keep this world' }).click()
  expect(now()).toBe('2026-06-01')
  await undo.click()
  await dialog.getByRole('button', { name: 'Put it back' }).click()
  await expect.poll(now).toBe('2026-05-01')
  await page.getByText('1 May, 00:00').first().waitFor()
  await page.getByRole('button', { name: 'Reset the world' }).click()
  await page.getByRole('button', { name: 'Reset it' }).click()
  await expect.poll(now).toBe('2026-03-15')
  await fetch(`${server.url}/api/v1/me`)
  await page.getByRole('link', { name: 'Traffic 1' }).waitFor()
  await undo.click()
  await page.getByRole('dialog', { name: 'Discard the requests too?' }).waitFor()
  await dialog.getByRole('button', { name: 'Keep this world' }).click()
  expect(now()).toBe('2026-03-15')
  expect(console.complaints).toEqual([])
})

test('a snapshot is saved to a file, and restored from one, which nothing done before leads to', async () => {
  await using console = await openConsole(browser, { address: '?panel=scenarios' })
  const { page, server } = console
  await server.sandbox.clock.set('2026-03-15T12:00:00Z')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Take a snapshot' }).click(),
  ])
  const path = await download.path()
  await page.getByText(`The snapshot was saved as ${download.suggestedFilename()}.`).waitFor()
  expect(download.suggestedFilename()).toBe('seo-sandbox-2026-03-15.snapshot.json')
  const done = page.getByLabel('What you did, as code')
  await page.getByRole('button', { name: '+1 month' }).click()
  await done.getByRole('button', { name: 'Undo' }).waitFor()
  await server.sandbox.clock.set('2027-01-01T00:00:00Z')
  const input = page.locator('input[type=file]')
  await input.setInputFiles(path)
  await page.getByRole('dialog').getByText('and discards the requests in Traffic').waitFor()
  await page.getByRole('button', { name: 'Restore it' }).click()
  await page.getByText('This world is now the one in').waitFor()
  expect(server.sandbox.clock.read().now).toBe('2026-03-15T12:00:00.000000Z')
  expect(await done.count()).toBe(0)
  // Traffic has the commands that made the restored world, before and after a reload.
  await page.getByRole('link', { name: 'Traffic' }).first().click()
  await page.getByText('1 entry, the latest first: 0 requests, 1 command').waitFor()
  await page.reload()
  await page.getByText('1 entry, the latest first: 0 requests, 1 command').waitFor()
  await page.getByRole('link', { name: 'Scenarios' }).first().click()
  await input.setInputFiles({
    name: 'other.json',
    mimeType: 'application/json',
    buffer: Buffer.from('no JSON'),
  })
  await page.getByRole('button', { name: 'Restore it' }).click()
  await page.getByText('other.json is not JSON.').waitFor()
  await input.setInputFiles({
    name: 'demo.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from('version: 1'),
  })
  await page.getByRole('button', { name: 'Restore it' }).click()
  await page
    .getByText(
      'demo.yaml is a fixture, not a snapshot. Serve it: npx seo-sandbox --fixtures demo.yaml',
    )
    .waitFor()
  expect(console.complaints).toEqual([])
})
