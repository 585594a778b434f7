import type { Page } from 'playwright-core'
import { createSandbox } from 'seo-sandbox'
import type { SandboxOptions } from 'seo-sandbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCALES } from '../../src/contract/locales.ts'
import { findChromium } from './chromium.ts'
import { browser, useChromium } from './use-chromium.ts'
import { FILES, openSite } from './site.ts'
import type { Site } from './site.ts'
import type { PageSetup, Reading } from './page/main.ts'

const AGENCY = 'sandbox-agency'
const NOON = { now: '2026-03-15T12:00:00Z', frozen: true }

useChromium()
let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(async () => {
  await site.close()
})

/** A page that intercepts its own requests. */
interface OpenPage extends AsyncDisposable {
  clock: Page['clock']
  /** Fetches a path with the page's `fetch`. */
  read: (path: string, token?: string) => Promise<PageReading>
  /** Errors and warnings that the page logged or threw. */
  complaints: string[]
}

interface PageReading extends Omit<Reading, 'bytes'> {
  bytes: Buffer
  /** The body as JSON; undefined if it is not JSON. */
  body: any
}

const AN_HOUR_MS = 3_600_000

/** Opens a page. `time` is the time at which its fake timers are paused; if omitted, its timers are real. */
async function open(setup: PageSetup = {}, time?: string): Promise<OpenPage> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  if (time !== undefined) {
    // Fake timers run once installed, and can only be paused at a later time.
    await page.clock.install({ time: Date.parse(time) - AN_HOUR_MS })
    await page.clock.pauseAt(time)
  }
  await page.goto(site.origin)
  await page.evaluate((given) => globalThis.intercept(given), setup)
  return {
    clock: page.clock,
    complaints,
    read: async (path, token) => {
      const reading = await page.evaluate((args) => globalThis.read(...args), [
        path,
        token,
      ] as const)
      const bytes = Buffer.from(reading.bytes)
      return { ...reading, bytes, body: parseJson(bytes.toString()) }
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

test.each(['/api/v1/projects', '/api/v1/projects/101/reports/3/content'])(
  'a page reads %s as Node does, byte for byte, and its console stays clean',
  { tags: ['core'] },
  async (path) => {
    await using page = await open({ sandbox: NOON })
    const { status, type, bytes } = await page.read(path, AGENCY)

    const { fetch } = await createSandbox(NOON)
    const expected = await fetch(path, { headers: { authorization: `Bearer ${AGENCY}` } })
    expect([status, type]).toEqual([200, expected.headers.get('content-type')])
    expect(bytes).toEqual(Buffer.from(await expected.arrayBuffer()))
    expect(page.complaints).toEqual([])
  },
)

test('a page generates the names and texts of every country as Node does, byte for byte', async () => {
  const options: SandboxOptions = {
    ...NOON,
    seed: 'page',
    generate: { projects: 300, reports: 3, locale: [...LOCALES] },
  }
  await using page = await open({ sandbox: options })
  const { fetch, world } = await createSandbox(options)
  const projects = world.records.all('projects')
  const byCountry = new Map(projects.map(({ id, country }) => [country, id]))
  expect(byCountry.size).toBe(LOCALES.length)
  for (const id of byCountry.values()) {
    const path = `/api/v1/projects/${id}/reports/1/content`
    const expected = await fetch(path, { headers: { authorization: 'Bearer sandbox-super' } })
    const { status, bytes } = await page.read(path, 'sandbox-super')
    expect(status).toBe(200)
    expect(bytes).toEqual(Buffer.from(await expected.arrayBuffer()))
    expect(bytes.toString()).toContain('<h3>')
  }
})

test('a page needs no options', async () => {
  await using page = await open()
  const { body } = await page.read('/api/v1/projects', AGENCY)
  expect(body.data[0]).toMatchObject({ id: 101 })
  expect(page.complaints).toEqual([])
})

test('a fixture as a YAML text is read in the page', async () => {
  const token = '{ id: 1, name: Mine, token: mine, agency: 1 }'
  const fixtures = `version: 1\nagencies: [{ id: 1, name: North }]\ntokens: [${token}]`
  await using page = await open({ sandbox: { fixtures } })
  const { body } = await page.read('/api/v1/me', 'mine')
  expect(body).toMatchObject({ name: 'Mine' })
  expect(page.complaints).toEqual([])
})

test.each(Object.entries(FILES))('%s is served by the real server', async (path, text) => {
  await using page = await open({ bypass: true })
  const { status, bytes } = await page.read(path, AGENCY)
  expect([status, bytes.toString()]).toEqual([200, text])
  expect(page.complaints).toEqual([])
})

test('an earlier handler of the page wins', async () => {
  await using page = await open({ ownPath: '/api/v1/me' })
  const mine = await page.read('/api/v1/me', AGENCY)
  expect([mine.status, mine.bytes.toString()]).toEqual([418, 'a handler of its own'])
  const { status } = await page.read('/api/v1/users', AGENCY)
  expect(status).toBe(200)
})

test.each([
  ['192.0.2.7', 200],
  ['198.51.100.1', 403],
])('an allow-list sees the address %s, and the status is %i', async (clientIp, expected) => {
  await using page = await open({ handlers: { clientIp } })
  const { status } = await page.read('/api/v1/projects', 'sandbox-ip-denied')
  expect(status).toBe(expected)
})

test('an invalid fixture is reported in the response, without an error of the page', async () => {
  const fixtures = 'version: 1\nprojects: [{ id: 1, agency: 9 }]'
  const reason: unknown = await createSandbox({ fixtures }).catch((error: unknown) => error)
  await using page = await open({ sandbox: { fixtures } })
  const { status, body } = await page.read('/api/v1/projects', AGENCY)
  expect([status, body]).toEqual([500, { message: (reason as Error).message }])
  expect(page.complaints).toEqual([expect.stringContaining('status of 500')])
})

test('under paused fake timers, requests are served', async () => {
  await using page = await open({}, '2026-03-15T12:00:00Z')
  const { status, body } = await page.read('/api/v1/projects/101', AGENCY)
  expect([status, body.cache_refreshed_at]).toEqual([200, '2026-03-15T12:00:00.000000Z'])
  expect(page.complaints).toEqual([])
})

test.each<[how: string, move: (clock: Page['clock']) => Promise<void>]>([
  ['set to', (clock) => clock.setFixedTime('2026-04-15T12:00:00Z')],
  ['moved on to', (clock) => clock.fastForward(31 * 24 * 60 * 60 * 1000)],
])('fake timers that are %s another month move the world clock', async (_, move) => {
  await using page = await open({}, '2026-03-15T12:00:00Z')
  await page.read('/api/v1/projects/101', AGENCY)
  await move(page.clock)
  const { body } = await page.read('/api/v1/projects/101', AGENCY)
  expect(body.cache_refreshed_at).toBe('2026-04-15T12:00:00.000000Z')
})

test('fake timers that advance by a minute reset the rate window', async () => {
  await using page = await open({ sandbox: { rateLimit: '2/min' } }, '2026-03-15T12:00:00Z')
  const statusOf = async () => (await page.read('/api/v1/projects', AGENCY)).status
  expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429])
  await page.clock.fastForward(60_000)
  expect(await statusOf()).toBe(200)
})

test('without Chromium, a sentence says what to install', () => {
  expect(() => findChromium({ CHROMIUM: '/nowhere/chromium' })).toThrow(
    'There is no Chromium at /nowhere/chromium. Install it (on Debian: apt-get install chromium)',
  )
})
