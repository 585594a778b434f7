import type { Locator, Page } from 'playwright-core'
import { createSandbox } from 'seo-sandbox'
import type { Sandbox, SandboxOptions } from 'seo-sandbox'
import { startServer } from 'seo-sandbox/server'
import type { ServerOptions } from 'seo-sandbox/server'
import { describe, expect, test } from 'vitest'
import { browser, useChromium } from './use-chromium.ts'
import { openConsole } from './console.ts'
import type { OpenConsole } from './console.ts'

/** Every panel while its server or its world goes away, and another one takes its place. */

useChromium()

/** Number of one of two worlds, which differ in everything that a panel shows. */
type Mark = 1 | 2

const KEYS = { 1: 'the-key-of-world-1', 2: 'the-key-of-world-2' }

function optionsOf(mark: Mark): SandboxOptions & ServerOptions {
  return {
    now: `202${mark}-03-15T12:00:00Z`,
    frozen: true,
    policies: { 'missing-token': mark === 1 ? '401' : '403' },
    fixtures: {
      version: 1,
      agencies: [{ id: mark, name: `Agency ${mark}` }],
      tokens: [{ id: mark, name: `Token ${mark}`, token: `token-of-world-${mark}`, agency: mark }],
      projects: [
        {
          id: 100 + mark,
          agency: mark,
          name: `Project of world ${mark}`,
          status: 'active',
          created_at: '2020-01-01T00:00:00Z',
        },
      ],
    },
  }
}

/** Adds the parts of a world that no option sets: a request in its journal, and a fault. */
async function addEvents({ fetch, faults }: Sandbox, mark: Mark): Promise<void> {
  await fetch(`/request-to-world-${mark}`)
  await faults.add({ kind: 'status', status: mark === 1 ? 502 : 503 })
}

interface PanelCase {
  panel: string
  /** Address of the panel. */
  address: string
  /** Content of the page while it shows this world, and only then. */
  sign: (page: Page, mark: Mark) => Locator
}

const OVERVIEW: PanelCase = {
  panel: 'overview',
  address: '?panel=overview',
  sign: (page, mark) => page.getByRole('heading', { name: `Agency ${mark}` }),
}

const PANELS: readonly PanelCase[] = [
  OVERVIEW,
  {
    panel: 'world',
    address: '?panel=world',
    sign: (page, mark) => page.getByRole('heading', { name: `Project of world ${mark}` }),
  },
  {
    panel: 'connect',
    address: '?panel=connect',
    sign: (page, mark) => page.locator('.tokens code', { hasText: `token-of-world-${mark}` }),
  },
  {
    panel: 'traffic',
    address: '?panel=traffic',
    sign: (page, mark) => page.getByRole('row', { name: `/request-to-world-${mark}` }),
  },
  {
    panel: 'faults',
    address: '?panel=faults',
    sign: (page, mark) => page.locator('.armed', { hasText: `gets a 50${mark + 1}` }),
  },
  {
    panel: 'policies',
    address: '?panel=policies&search=missing-token',
    sign: (page, mark) =>
      page
        .getByLabel('missing-token')
        .filter({ has: page.locator('option:checked', { hasText: mark === 1 ? '401' : '403' }) }),
  },
  {
    // The list is the same in every world; only the clock around the panel differs.
    panel: 'scenarios',
    address: '?panel=scenarios',
    sign: (page, mark) =>
      page
        .locator('.app', { has: page.getByTitle(`World clock 15 Mar 202${mark} 12:00:00`) })
        .getByRole('button', { name: 'Load empty-agency' }),
  },
  {
    panel: 'reference',
    address: '?panel=reference&endpoint=getProject',
    sign: (page, mark) => page.getByText(`GET /api/v1/projects/10${mark}`, { exact: true }),
  },
]

const NO_RESPONSE = 'The server does not respond.'

/** Opens the console of world 1. */
async function openFirst(address: string, server: ServerOptions = {}): Promise<OpenConsole> {
  const options = { address, server: { ...optionsOf(1), ...server } }
  const console = await openConsole(browser, options)
  await addEvents(console.server.sandbox, 1)
  return console
}

/** Starts the server of a world on the port of a stopped one. */
async function startNext(
  port: number,
  mark: Mark,
  options: ServerOptions = {},
): Promise<AsyncDisposable> {
  const server = await startServer({ port, ...optionsOf(mark), ...options })
  await addEvents(server.sandbox, mark)
  return { [Symbol.asyncDispose]: () => server.close() }
}

/** Waits until the page shows a world, and not the other one. */
async function shows(page: Page, mark: Mark, { sign }: PanelCase): Promise<void> {
  await sign(page, mark).waitFor()
  await sign(page, mark === 1 ? 2 : 1).waitFor({ state: 'detached' })
}

function enterKey(page: Page, key: string): Promise<void> {
  const field = page.getByRole('dialog', { name: 'Open as the operator' }).getByLabel('Key')
  return field.fill(key).then(() => field.press('Enter'))
}

describe.each(PANELS)('the panel $panel', (shown) => {
  const { address, sign } = shown

  test('stays while the server is stopped, which is said, and shows the world of the next one', async () => {
    await using console = await openFirst(address)
    const { page, server } = console
    await shows(page, 1, shown)
    await server.close()
    await page.getByText(NO_RESPONSE).waitFor()
    await shows(page, 1, shown)
    expect(await page.getByRole('alert').count()).toBe(0)
    await using _ = await startNext(server.port, 2)
    await shows(page, 2, shown)
    await expect.poll(() => page.getByText(NO_RESPONSE).count()).toBe(0)
  })

  test('shows a world as it was created when that is reset', async () => {
    await using console = await openFirst(address)
    const { page, server, complaints } = console
    const { sandbox } = server
    await shows(page, 1, shown)
    const { policies = {}, ...options } = optionsOf(2)
    await sandbox.restore(await (await createSandbox(options)).snapshot())
    await sandbox.command({ type: 'policy.set', policies })
    await addEvents(sandbox, 2)
    await shows(page, 2, shown)
    await sandbox.reset()
    await addEvents(sandbox, 1)
    await shows(page, 1, shown)
    // The page asks for a vanished project before it learns that it is gone.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
  })

  test('shows the default world when its own is dropped, and says so', async () => {
    await using console = await openFirst('')
    const { page, server, show } = console
    const { worlds } = server.sandbox
    const { id, sandbox } = await worlds.create(optionsOf(2))
    await addEvents(sandbox, 2)
    await show(`?world=${id}&${address.slice(1)}`)
    await shows(page, 2, shown)
    worlds.drop(id)
    await page.getByText(`World ${id} is not there any more.`).waitFor()
    await shows(page, 1, shown)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('asks for the admin key, and again after a wrong one, which is sent once', async () => {
    await using console = await openFirst(address, { adminKey: KEYS[1] })
    const { page } = console
    const wrong: string[] = []
    page.on('request', (request) => {
      if (request.headers()['authorization'] === `Bearer ${KEYS[2]}`) wrong.push(request.url())
    })
    await enterKey(page, KEYS[2])
    await page.getByRole('dialog').getByText('This is not the admin key').waitFor()
    expect(await sign(page, 1).count()).toBe(0)
    await enterKey(page, KEYS[1])
    await shows(page, 1, shown)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(wrong).toHaveLength(1)
  })
})

test('panels that are opened while the server is stopped are filled when it is back', async () => {
  await using console = await openFirst('?panel=world')
  const { server, open } = console
  const pages = await Promise.all(
    PANELS.map(async (shown, index) => {
      const elsewhere = index === 0 ? 'world' : 'overview'
      const page = await open(shown.address.replace(/panel=\w+/, `panel=${elsewhere}`))
      return { page, shown, key: String(index + 1) }
    }),
  )
  await server.close()
  for (const { page, key } of pages) {
    await page.getByText(NO_RESPONSE).waitFor()
    await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([])
  }
  await using _ = await startNext(server.port, 2)
  for (const { page, shown } of pages) {
    await shows(page, 2, shown)
    await expect.poll(() => page.getByText(NO_RESPONSE).count()).toBe(0)
  }
})

test('a page hears from the one that reads the stream that the server is back', async () => {
  const traffic = PANELS.find(({ panel }) => panel === 'traffic')!
  await using console = await openFirst(traffic.address)
  const { page: reading, server, open } = console
  await shows(reading, 1, traffic)
  const page = await open(traffic.address)
  await shows(page, 1, traffic)
  await server.close()
  await page.getByText(NO_RESPONSE).waitFor()
  // Never answered, as if the page still waited before its next question.
  await page.route('**/_sandbox/health', () => {})
  await using _ = await startNext(server.port, 2)
  await shows(page, 2, traffic)
  await expect.poll(() => page.getByText(NO_RESPONSE).count()).toBe(0)
})

test('a server that comes back with another admin key gets that one when it is entered', async () => {
  await using console = await openFirst('', { adminKey: KEYS[1] })
  const { page, server } = console
  await enterKey(page, KEYS[1])
  await shows(page, 1, OVERVIEW)
  await server.close()
  await page.getByText(NO_RESPONSE).waitFor()
  await using _ = await startNext(server.port, 2, { adminKey: KEYS[2] })
  await page.getByRole('dialog').getByText('This is not the admin key').waitFor()
  await enterKey(page, KEYS[2])
  await shows(page, 2, OVERVIEW)
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a world that is gone with its server is left for the default one of the next', async () => {
  await using console = await openFirst('')
  const { page, server, show } = console
  const { id } = await server.sandbox.worlds.create(optionsOf(2))
  await show(`?world=${id}`)
  await shows(page, 2, OVERVIEW)
  await server.close()
  await page.getByText(NO_RESPONSE).waitFor()
  await using _ = await startNext(server.port, 1)
  await page.getByText(`World ${id} is not there any more.`).waitFor()
  await shows(page, 1, OVERVIEW)
  expect(page.url()).not.toContain('world=')
})
