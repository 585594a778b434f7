import { readFile } from 'node:fs/promises'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { findSerious, openConsole } from './console.ts'

/** The form for the demo with custom names: it shows, saves and serves the output of `generate --demo`. */

useChromium()

test('the demo is shown, saved and served with the names of a form', async () => {
  await using console = await openConsole(browser)
  const { page, server } = console
  const { records } = server.sandbox.world
  const open = page.getByRole('button', { name: 'Fill in Your own names' })
  // The form is in view each time, with the focus.
  for (const _ of [1, 2]) {
    await open.click()
    await page.locator('[name=agency]:focus').waitFor()
    expect((await page.locator('[name=agency]').boundingBox())!.y).toBeLessThan(500)
  }
  await page.getByLabel('Country', { exact: true }).selectOption('da')
  const first = page.getByRole('group', { name: 'Customer 1' })
  // Nothing of a company of the demo is mixed with a customer's name.
  for (const label of ['Company', 'Town', 'Trade'])
    expect(await first.getByLabel(label).inputValue()).toBe('')
  await page.locator('option', { hasText: 'tandlæge' }).first().waitFor({ state: 'attached' })
  await page.getByLabel('Agency', { exact: true }).fill('Lake & Moor')
  await first.getByLabel('Company').fill('Odder Tænder')
  await first.getByRole('button', { name: 'Add its website and keywords' }).click()
  await first.getByLabel('Town').fill('Odder')
  await first.getByLabel('Trade').selectOption('tandlæge')
  await first.getByLabel('Keywords').fill('tandlæge odder, implantater')
  await page.getByRole('button', { name: 'Show the file' }).click()
  const shown = page.locator('pre', { hasText: 'version: 1' })
  await shown.getByText('name: Odder Tænder').waitFor()
  expect(await findSerious(page)).toEqual([])

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('demo.yaml')
  expect(await readFile(await download.path(), 'utf8')).toBe(await shown.textContent())
  await page
    .getByText('Serve the saved file with npx seo-sandbox --fixtures demo.yaml, or')
    .waitFor()

  const before = records.all('agencies')
  const serve = page.getByRole('button', { name: 'Rebuild the demo' })
  await serve.click()
  await page.getByRole('dialog').getByText('It replaces all records').waitFor()
  await page.keyboard.press('Escape')
  expect(server.sandbox.world.records.all('agencies')).toEqual(before)
  await serve.first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rebuild it' }).click()
  await page.getByText('This world is the demo with your names now.').waitFor()
  // The agency's month is in view.
  await page.getByRole('heading', { level: 1, name: 'Lake & Moor' }).waitFor()
  expect(await page.evaluate('document.querySelector("main").scrollTop')).toBe(0)
  const world = server.sandbox.world.records
  expect(world.all('agencies')).toMatchObject([{ name: 'Lake & Moor' }])
  // It goes well with the customer, and the demo still has a late and a failing one.
  expect(world.get('projects', 1001)?.name).toBe('Odder Tænder')
  await page.getByText(/One report failed, one is 12 days late so far\.$/).waitFor()
  expect(world.keywordsOf(1001).map(({ keyword }) => keyword)).toEqual(
    expect.arrayContaining(['tandlæge odder', 'implantater']),
  )
  await page.getByText('Worth a look').waitFor()
  // The form keeps its contents, even while another panel is shown.
  await page.getByRole('link', { name: 'Policies' }).click()
  await page.getByRole('searchbox').waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect.poll(() => first.getByLabel('Company').inputValue()).toBe('Odder Tænder')
  await first.getByLabel('How it is doing').selectOption('Failed report')
  await serve.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rebuild it' }).click()
  await expect
    .poll(() => server.sandbox.world.records.get('projects', 1011)?.name)
    .toBe('Odder Tænder')
  // After a reload it begins with the customer that is served, and its situation.
  const ill = page.locator('.ill')
  await ill.getByRole('link', { name: 'Odder Tænder' }).waitFor()
  await console.show('')
  await page.getByRole('button', { name: 'Fill in Your own names' }).click()
  await expect.poll(() => first.getByLabel('Company').inputValue()).toBe('Odder Tænder')
  expect(await page.getByLabel('Company').count()).toBe(1)
  expect(await first.getByLabel('Trade').inputValue()).toBe('tandlæge')
  expect(await first.getByLabel('How it is doing').inputValue()).toBe('failing')
  expect(console.complaints).toEqual([])
})

test('a name that is missing is asked for in words, and an empty customer is left out', async () => {
  await using console = await openConsole(browser)
  const { page } = console
  await page.getByRole('button', { name: 'Fill in Your own names' }).click()
  await page.getByRole('group', { name: 'Customer 1' }).getByLabel('Company').fill('Otter Cycles')
  await page.getByRole('button', { name: 'Add a customer' }).click()
  const second = page.getByRole('group', { name: 'Customer 2' })
  const show = page.getByRole('button', { name: 'Show the file' })
  const agency = page.getByLabel('Agency', { exact: true })
  const name = await agency.inputValue()
  await agency.fill(' ')
  await show.click()
  // At the field, which has the focus.
  const refusalAt = (field: Locator) => field.locator('xpath=..').getByRole('alert')
  await refusalAt(agency).getByText('" " is not a name.').waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(name)
  await second.getByLabel('Town').fill('Keswick')
  await second.getByLabel('Trade').selectOption({ index: 1 })
  await show.click()
  await refusalAt(second.getByLabel('Company')).getByText('"" is not a name.').waitFor()
  await second.getByLabel('Town').fill('')
  await second.getByLabel('Trade').selectOption('from its name, or any business')
  await show.click()
  const file = page.locator('pre', { hasText: 'version: 1' })
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.locator('.notice').count()).toBe(0)
  expect((await file.textContent())!.match(/situation: none\b/g)).toHaveLength(1)
  expect(console.complaints.filter((complaint) => !complaint.includes('422'))).toEqual([])
})

test('the boxes of the form show long names and keywords in whole', async () => {
  await using console = await openConsole(browser)
  const { page } = console
  await page.getByRole('button', { name: 'Fill in Your own names' }).click()
  const first = page.getByRole('group', { name: 'Customer 1' })
  await first.getByRole('button', { name: 'Add its website and keywords' }).click()
  for (const [label, text] of [
    ['Company', 'Bevægelseshuset Nørrebro'],
    ['Keywords', 'restaurant aarhus havn, brunch aarhus'],
  ] as const) {
    const box = first.getByLabel(label)
    await box.fill(text)
    expect(
      await page.evaluate(
        'document.activeElement.scrollWidth <= document.activeElement.clientWidth',
      ),
    ).toBe(true)
  }
  expect(console.complaints).toEqual([])
})

test('a clash is said in a sentence, and changes nothing', async () => {
  await using console = await openConsole(browser, { width: 390 })
  const { page, server } = console
  await page.getByRole('button', { name: 'Fill in Your own names' }).click()
  await page.getByRole('button', { name: 'Add a customer' }).click()
  const names = page.getByLabel('Company', { exact: true })
  for (const index of [0, 1]) await names.nth(index).fill('Otter Cycles')
  await page.getByRole('button', { name: 'Rebuild the demo' }).click()
  const clash = names.nth(1).locator('xpath=..').getByRole('alert')
  await clash.getByText('This name is also that of companies[0]').waitFor()
  expect(server.sandbox.world.records.all('agencies')).toHaveLength(2)
  expect(console.complaints.filter((complaint) => !complaint.includes('422'))).toEqual([])
})

test('what is typed while the server writes the demo stays, and a refusal is said', async () => {
  await using console = await openConsole(browser)
  const { page } = console
  await page.getByRole('button', { name: 'Fill in Your own names' }).click()
  const agency = page.getByLabel('Agency', { exact: true })
  await agency.fill('Lake & Moor')
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/_sandbox/demo*', async (route) => {
    await released
    await route.continue()
  })
  await page.getByRole('button', { name: 'Show the file' }).click()
  await agency.fill('Lake & Moor and more')
  release()
  await page.locator('pre', { hasText: 'name: Lake & Moor' }).waitFor()
  expect(await agency.inputValue()).toBe('Lake & Moor and more')

  await agency.fill('')
  await page.getByLabel('Country', { exact: true }).selectOption('da')
  await page.locator('.notice').getByText('agency').waitFor()
  expect(console.complaints.filter((complaint) => !complaint.includes('422'))).toEqual([])
})

test('the form begins with the country that is served, and a customer can be removed or have no trade', async () => {
  await using console = await openConsole(browser, { server: { demo: true, locale: 'da' } })
  const { page } = console
  await page.getByRole('button', { name: 'Fill in Your own names' }).click()
  const country = page.getByLabel('Country', { exact: true })
  expect(await country.inputValue()).toBe('da')
  await page.getByRole('button', { name: 'Add a customer' }).click()
  const companies = page.getByLabel('Company', { exact: true })
  const second = 'Café Havn'
  await companies.nth(0).fill('Odder Tænder')
  await companies.nth(1).fill(second)
  const first = page.getByRole('group', { name: 'Customer 1' })
  await first.getByRole('button', { name: 'Remove the customer' }).click()
  await expect.poll(() => companies.count()).toBe(1)
  expect(await companies.inputValue()).toBe(second)
  await first.getByLabel('Trade').selectOption('any business')
  await page.getByRole('button', { name: 'Show the file' }).click()
  const file = await page.locator('pre', { hasText: 'version: 1' }).textContent()
  expect(file).toContain('locale: da')
  expect(file).toContain('trade: none')
  expect(file).not.toContain('Odder Tænder')
  await first.getByRole('button', { name: 'Remove the customer' }).click()
  await page.getByRole('button', { name: 'Show the file' }).click()
  await page.locator('pre:not(:has-text("trade: none"))', { hasText: 'version: 1' }).waitFor()
  expect(console.complaints).toEqual([])
})

test('the form has the names of the world after a rebuild is undone, a reset, a scenario and a snapshot, and otherwise keeps what is typed', async () => {
  await using console = await openConsole(browser, { server: { demo: true } })
  const { page, server } = console
  const before = await server.sandbox.snapshot()
  await page.getByRole('button', { name: 'Fill in Your own names' }).click()
  const agency = page.getByLabel('Agency', { exact: true })
  const company = page.getByLabel('Company', { exact: true })
  const showsNames = (...names: [agency: string, company: string]) =>
    expect
      .poll(async () => [await agency.inputValue(), await company.first().inputValue()])
      .toEqual(names)
  const ofDemo = await agency.inputValue()
  await agency.fill('Lake & Moor')
  await company.fill('Otter Cycles')
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.locator('.clock', { hasText: '16 Mar, 12:00' }).waitFor()
  await showsNames('Lake & Moor', 'Otter Cycles')
  await page.getByRole('button', { name: 'Rebuild the demo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rebuild it' }).click()
  await page.getByRole('heading', { level: 1, name: 'Lake & Moor' }).waitFor()
  await showsNames('Lake & Moor', 'Otter Cycles')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await showsNames(ofDemo, '')
  await server.sandbox.reset()
  await showsNames('Lake & Moor', 'Otter Cycles')
  const scenario = 'latest-rule-2'
  await server.sandbox.world.command({ type: 'scenario.load', scenario })
  await showsNames(server.sandbox.world.records.all('agencies')[0]!.name, '')
  await server.sandbox.restore(before)
  await page.getByRole('button', { name: '+1 day' }).click()
  await showsNames(ofDemo, '')
  expect(console.complaints).toEqual([])
})

test('the form is the one of its world: another world gets another, of its own country', async () => {
  await using console = await openConsole(browser, { server: { demo: true, locale: 'da' } })
  const { page, server, show } = console
  const { id } = await server.sandbox.worlds.create({ demo: true, locale: 'sv' })
  await show('')
  const open = () => page.getByRole('button', { name: 'Fill in Your own names' }).click()
  const country = page.getByLabel('Country', { exact: true })
  await open()
  await page.getByLabel('Company', { exact: true }).fill('Odder Tænder')
  expect(await country.inputValue()).toBe('da')
  await page.getByRole('button', { name: 'Add a customer' }).click()
  await page.getByLabel('World', { exact: true }).selectOption(`World ${id}`)
  await country.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Ankare SEO' }).waitFor()
  await open()
  expect(await country.inputValue()).toBe('sv')
  expect(await page.getByLabel('Company', { exact: true }).inputValue()).not.toBe('Odder Tænder')
  expect(console.complaints).toEqual([])
})
