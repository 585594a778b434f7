import { get } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import {
  HOSTILE,
  hostileFixtures,
  hostileHar,
  hostileSession,
  LONG_HOSTILE,
} from './console-worlds.ts'
import { findSerious, openConsole } from './console.ts'
import type { OpenConsole } from './console.ts'

/** Every panel with the worst text in every field: the text runs nothing, leads nowhere, and breaks no panel. */

useChromium()

const WIDTH = 390

interface Visit {
  panel: string
  /** Shows all parts of the panel, and calls `look` in each state. */
  visit: (console: OpenConsole, look: () => Promise<void>) => Promise<void>
}

const button = (page: Page, name: string): Locator =>
  page.getByRole('button', { name, exact: true })

const VISITS: readonly Visit[] = [
  {
    panel: 'overview',
    visit: async (console, look) => {
      const { page, server } = console
      await page.getByText('Waiting for a first request').waitFor()
      await page.getByText(/^of 1 keyword/).waitFor()
      await look()
      await ask(`${server.url}/api/v1/${encodeURIComponent(HOSTILE)}`)
      await page.getByText('called at').waitFor()
      await look()
      for (const title of ['A report is completed', 'The token runs dry', 'A month turns']) {
        await page.getByRole('button', { name: `Begin the tour: ${title}` }).click()
        await page.locator('.tours .next .primary').click()
        await page.locator('.tours .seen').waitFor()
        await look()
        await page.getByRole('button', { name: /^Leave/ }).click()
      }
    },
  },
  {
    panel: 'connect',
    visit: async ({ page }, look) => {
      await page.locator('.tokens li').nth(1).waitFor()
      await look()
      await button(page, 'Send this request').click()
      await page.getByLabel('Body', { exact: true }).getByText('alert(1)').waitFor()
      await page.getByLabel('Token', { exact: true }).selectOption({ index: 1 })
      for (const tab of await page.locator('main').getByRole('tab').all()) await tab.click()
      await look()
    },
  },
  {
    panel: 'world',
    visit: async ({ page }, look) => {
      await page.getByRole('searchbox').fill(HOSTILE.slice(0, 60))
      await page.getByRole('row', { name: '<script>' }).waitFor()
      await look()
      await page.getByRole('searchbox').fill(`${HOSTILE} is in none`)
      await page.getByText('No project is found').waitFor()
      await look()
      await page.getByRole('searchbox').fill('')
      await page.getByRole('row', { name: '<script>' }).click()
      await page.getByRole('heading', { name: /^latest is / }).waitFor()
      await look()
      await page.locator('.keyword').click()
      await page.getByRole('button', { name: /^All \d+ fields$/ }).click()
      for (const [number, texts] of [
        [1, 'it has no content yet'],
        [2, HOSTILE.slice(0, 40)],
        [3, 'alert(1)'],
      ] as const) {
        await page.getByRole('button', { name: `Report ${number}, ` }).press('Enter')
        await page.getByRole('heading', { name: `Report ${number} · ` }).waitFor()
        await page.getByRole('tab', { name: 'Text', exact: true }).click()
        await page.getByLabel('Texts', { exact: true }).getByText(texts).first().waitFor()
        await look()
        await page.getByRole('tab', { name: 'HTML' }).click()
        await button(page, 'Get the HTML').click()
        await page.getByText(/ was \d+, with the token/).waitFor()
        await look()
      }
      await page.locator('iframe.html').waitFor()
      await expect.poll(() => page.locator('iframe.html').getAttribute('sandbox')).toBe('')
    },
  },
  {
    panel: 'traffic',
    visit: async (console, look) => {
      const { page, server } = console
      const project = '/api/v1/projects/101'
      await ask(`${server.url}${project}/${encodeURIComponent(HOSTILE)}?search=${'9'.repeat(8000)}`)
      await ask(`${server.url}/${HOSTILE.replaceAll(/[^!-~]/g, '')}`)
      await ask(`${server.url}${project}`)
      await server.sandbox.command({
        type: 'record.patch',
        collection: 'projects',
        id: 101,
        patch: { plan: `${LONG_HOSTILE} of a command` },
      })
      await page.getByText('4 entries').waitFor()
      const lookAtAll = async () => {
        const rows = page.getByRole('grid').locator('tbody tr[data-index]')
        for (const row of await rows.all()) {
          await row.click()
          await page.getByRole('region', { name: /^(?:Request|Command)$/ }).waitFor()
          await look()
          for (const tab of await page.getByRole('region').getByRole('tab').all()) {
            await tab.click()
            await look()
          }
          const copy = button(page, 'Copy as …')
          if ((await copy.count()) > 0) await copy.click()
          await look()
          await button(page, 'Close').click()
        }
      }
      await lookAtAll()
      for (const [name, content] of Object.entries({
        'a.har': hostileHar(),
        session: hostileSession(),
      })) {
        await button(page, 'Save or open').click()
        await page.getByLabel('Open file').setInputFiles({
          name: `${HOSTILE}${name}`,
          mimeType: 'application/json',
          buffer: Buffer.from(JSON.stringify(content)),
        })
        await page.getByText(/file with \d+ entries/).waitFor()
        await lookAtAll()
        await button(page, 'Back to the live traffic').click()
      }
    },
  },
  {
    panel: 'faults',
    visit: async ({ page, server }, look) => {
      await server.sandbox.faults.add({ kind: 'status', status: 500, token: 1 })
      await page.getByText('by <script>').waitFor()
      await look()
      await page.getByLabel('By', { exact: true }).selectOption({ index: 1 })
      await page.getByLabel('About project').fill(HOSTILE)
      await button(page, 'Arm this fault').click()
      await page.getByRole('alert').waitFor()
      await look()
    },
  },
  {
    panel: 'policies',
    visit: async ({ page }, look) => {
      await page.getByRole('searchbox').fill('month-time-zone')
      await page.getByLabel('month-time-zone').fill(LONG_HOSTILE)
      await page.getByRole('button', { name: 'Set <script>' }).click()
      await page.getByRole('alert').waitFor()
      await look()
      await page.getByRole('searchbox').fill(HOSTILE)
      await page.getByText('No question matches').waitFor()
      await look()
    },
  },
  {
    panel: 'scenarios',
    visit: async ({ page }, look) => {
      await page.locator('input[type=file]').setInputFiles({
        name: `${HOSTILE.repeat(10)}.json`,
        mimeType: 'application/json',
        buffer: Buffer.from(HOSTILE),
      })
      await page.getByRole('dialog').waitFor()
      await look()
      await button(page, 'Restore it').click()
      await page.getByText('is not JSON.').waitFor()
      await look()
      await page.getByRole('searchbox').fill(HOSTILE)
      await page.getByText('No scenario matches').waitFor()
      await look()
    },
  },
  {
    panel: 'reference',
    visit: async ({ page }, look) => {
      await page.locator('.endpoint-select select').selectOption('listProjects')
      await page.getByLabel('search').fill(HOSTILE.slice(0, 60))
      // Until the tokens have loaded, requests are sent without one.
      await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).toBe('1')
      await button(page, 'Send this request').click()
      await page.getByLabel('Body', { exact: true }).getByText('alert(1)').waitFor()
      await look()
      await page.getByLabel('search').fill(LONG_HOSTILE.slice(0, 4000))
      await look()
    },
  },
]

describe.each(VISITS)('the panel $panel', ({ panel, visit }) => {
  test(
    'runs nothing and is not broken',
    { tags: panel === 'connect' ? ['core'] : [] },
    async () => {
      await using console = await openConsole(browser, {
        address: `?panel=${panel}`,
        server: { fixtures: hostileFixtures(), policies: { 'html-escaping': 'raw' } },
        width: WIDTH,
      })
      const { page, server, context, complaints } = console
      const dialogs: string[] = []
      const elsewhere: string[] = []
      context.on('dialog', (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
      context.on('request', (request) => {
        if (!/^(?:blob|data):/.test(request.url()) && new URL(request.url()).origin !== server.url)
          elsewhere.push(request.url())
      })
      await page.keyboard.press('c')
      await page.locator('#code-text').waitFor()
      await visit(console, async () => {
        expect(await findHarm(page)).toEqual([])
      })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await findSerious(page)).toEqual([])
      }
      await page.keyboard.press('Escape')
      expect({ dialogs, elsewhere }).toEqual({ dialogs: [], elsewhere: [] })
      expect(complaints.filter((text) => !isExpected(text))).toEqual([])
    },
  )
})

test('any address is taken, whatever its parameters are', async () => {
  await using console = await openConsole(browser, { width: WIDTH })
  const { page, show, complaints } = console
  const names = 'project report request endpoint search q path status token operation fault from to'
  for (const { panel } of VISITS) {
    const query = new URLSearchParams({ panel })
    for (const name of names.split(' ')) query.set(name, LONG_HOSTILE.slice(0, 900))
    await show(`?${query.toString()}`)
    await page.getByTitle('World clock 15 Mar 2026 12:00:00').waitFor()
    expect(await findHarm(page)).toEqual([])
    await expect.poll(() => page.getByText('bug in the console').count()).toBe(0)
  }
  await show(`?world=${encodeURIComponent(HOSTILE)}`)
  await page.getByText(`World ${HOSTILE.slice(0, 20)}`).waitFor()
  expect(await findHarm(page)).toEqual([])
  expect(complaints.filter((text) => !isExpected(text))).toEqual([])
})

/** Sends a request with hostile headers, without changing its address. */
function ask(url: string): Promise<void> {
  const headers = {
    Authorization: 'Bearer sandbox-agency',
    Accept: HOSTILE.replaceAll(/[^ -~]/g, ''),
    [`X-${'name'.repeat(200)}`]: 'x'.repeat(3000),
  }
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}

/** True for refusals by the API, and for scripts in the frame of a report, in which nothing runs. */
function isExpected(complaint: string): boolean {
  return /status of 4\d\d|about:srcdoc/.test(complaint)
}

/**
 * Finds content that no text may bring in: elements with handlers or scripts, links that run code, and direction marks that
 * turn other text. Also finds a page wider than the screen.
 */
function findHarm(page: Page): Promise<string[]> {
  return page.evaluate(FIND_HARM)
}

const FIND_HARM = `(() => {
  const harm = []
  for (const element of document.querySelectorAll('body *')) {
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) harm.push('handler: ' + element.outerHTML.slice(0, 200))
      if (/^(?:href|src|action)$/.test(name) && /^\\s*(?:javascript|data):/i.test(value)) harm.push('link: ' + value.slice(0, 200))
    }
  }
  for (const element of document.querySelectorAll('body script, img, main iframe:not([sandbox=""])')) harm.push('element: ' + element.outerHTML.slice(0, 200))
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    if (!data.includes('\\u202e') || parentElement.closest('option, textarea, title')) continue
    let element = parentElement
    for (;;) {
      const { display, unicodeBidi } = getComputedStyle(element)
      if (display !== 'inline' || unicodeBidi !== 'normal') break
      element = element.parentElement
    }
    const isIsolated = element.matches('pre, text') || getComputedStyle(element).display === 'inline'
    const isLast = element.textContent.trimEnd().endsWith(data.trimEnd())
    if (!isIsolated && !isLast) harm.push('direction: ' + element.outerHTML.slice(0, 300))
  }
  const { scrollWidth } = document.documentElement
  if (scrollWidth !== ${WIDTH}) harm.push('width: ' + scrollWidth)
  return harm
})()`
