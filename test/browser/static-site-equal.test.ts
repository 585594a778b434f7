import { readFile } from 'node:fs/promises'
import type { Page, Worker } from 'playwright-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { createRandom } from '../../src/records/random.ts'
import { pagePath } from '../../src/report-pages/page-links.ts'
import type { Site } from '../../src/tab/site.ts'
import { createTabFetch } from '../../src/tab/tab-fetch.ts'
import { aFolder, runCli } from '../support/cli.ts'
import { runs } from '../support/depth.ts'
import { randomWorld } from '../world/random-steps.ts'
import { browser, useChromium } from './use-chromium.ts'
import { createMessages } from './random-messages.ts'
import type { Message } from './random-messages.ts'
import { openHost } from './static-host.ts'

/**
 * The sandbox in the page of a static site and the same one in Node give the same answers: to requests of the API, to commands,
 * to reads of the control API, and for the pages of reports. The test sets the machine's clock of both, so that answers are
 * compared in full. `PROPERTY_DEPTH=1` has 20,000 requests and 5,000 commands, otherwise there is a tenth.
 */

const REQUESTS = runs(20_000, 2000)
const COMMANDS = runs(5000, 500)
const READS = runs(1000, 100)

const START = Date.parse('2026-03-15T12:00:30.250Z')

useChromium()
afterEach(() => void vi.useRealTimers())

const WORLDS = [
  { name: 'the default world', args: [] },
  {
    name: 'the demo',
    args: ['--demo', '--now', '2026-03-15T12:00:00Z', '--frozen', '--seed', 'spring'],
  },
  { name: 'a generated world', args: ['--fixtures', 'world.json'] },
]

const FIXTURES = randomWorld({
  frozen: false,
  now: 'now-3d',
  generate: { projects: 8, keywords: 6, locale: ['da', 'de'] },
})

describe('in a page as in Node', () => {
  test.each(WORLDS)('$name gives the same answers', { timeout: 3_600_000 }, async (world) => {
    vi.useFakeTimers({ toFake: ['Date'], now: START })
    await using folder = await aFolder({ 'world.json': JSON.stringify(FIXTURES) })
    const { code, stderr } = await runCli(['export', '--out', 'site', ...world.args], {
      cwd: folder.path(),
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await using host = await openHost(folder.path('site'))
    const base = host.url.replace(/\/$/, '')
    await using tab = await openTab(base)
    const { sandbox, answer } = await openInNode(folder.path('site'), base, tab.id)
    const pageOf = (report: number): string =>
      pagePath(report, sandbox.world).replace('/default/', `/${tab.id}/`)

    const left = { request: REQUESTS, command: COMMANDS, read: READS }
    for (const kind of KINDS) left[kind] = Math.ceil(left[kind] / WORLDS.length)
    const statuses = new Map<number, number>()
    for (let batch = 0; left.request + left.command + left.read > 0; batch += 1) {
      const random = createRandom('in a page', world.name, batch)
      const make = createMessages(random, sandbox, pageOf)
      const messages: Message[] = []
      const inNode: Answer[] = []
      for (let count = random.integer(60, 200); count > 0; count -= 1) {
        const all = left.request + left.command + left.read
        const kind = KINDS.find((one) => random.chance(left[one] / all)) ?? 'request'
        left[kind] = Math.max(0, left[kind] - 1)
        const message = make[kind]()
        messages.push(message)
        inNode.push(await answer(message))
      }
      for (const [index, found] of (await tab.answer(messages)).entries()) {
        const { status } = inNode[index]!
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const isHidden = REDIRECTS.includes(status) && found.status === 0
        const expected = isHidden ? NOTHING : inNode[index]!
        // As texts, because comparing objects takes longer than everything else together.
        if (toComparable(found) !== toComparable(expected)) {
          const place = `${batch}.${index}: ${JSON.stringify(messages[index])}`
          expect(found, place).toEqual(expected)
        }
      }
      const now = Date.now() + random.integer(0, 90_000)
      vi.setSystemTime(now)
      await tab.setNow(now)
    }
    const seen = [200, 400, 401, 403, 404, 405, 422, 429]
    expect([...statuses.keys()]).toEqual(expect.arrayContaining(seen))
  })
})

const KINDS = ['command', 'read', 'request'] as const

/** Statuses that the browser hides from a page that does not follow the redirect. */
const REDIRECTS = [301, 302, 303, 307, 308]

interface Answer {
  status: number
  statusText: string
  headers: [name: string, value: string][]
  /** The received part of the body, a character for each byte. */
  bytes: string
  /** True if the connection broke. */
  isBroken: boolean
}

const NOTHING: Answer = { status: 0, statusText: '', headers: [], bytes: '', isBroken: false }

/** Removes the explanations of invalid JSON, because the versions of V8 in the browser and in Node word them differently. */
function toComparable({ bytes, ...rest }: Answer): string {
  return JSON.stringify([rest, bytes.replace(/ is not JSON: .*? Send /, ' is not JSON. Send ')])
}

/** Reads a response. It also runs in the page, so it refers to nothing outside. */
async function read(nothing: Answer, fetching: Promise<Response>): Promise<Answer> {
  const answer = { ...nothing }
  try {
    const response = await fetching
    answer.status = response.status
    answer.statusText = response.statusText
    answer.headers = [...response.headers]
    const reader = response.body?.getReader()
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
      for (const byte of piece.value) answer.bytes += String.fromCharCode(byte)
    }
  } catch {
    answer.isBroken = true
  }
  return answer
}

/** Opens the sandbox of a site, as in a tab with this id. */
async function openInNode(folder: string, base: string, id: string) {
  const readJson = async (file: string): Promise<object> =>
    JSON.parse(await readFile(`${folder}/${file}`, 'utf8'))
  const { options } = (await readJson('site.json')) as Site
  const sandbox = await createSandbox(options)
  const serve = createTabFetch(sandbox, {
    id,
    base,
    documents: {
      api: () => readJson('openapi.json'),
      control: () => readJson('control-openapi.json'),
    },
    onBug: (error) => {
      throw error
    },
  })
  return {
    sandbox,
    answer: ({ target, ...init }: Message): Promise<Answer> =>
      read(NOTHING, serve(new Request(base + target, init))),
  }
}

interface Tab extends AsyncDisposable {
  id: string
  /** Sends each message once the previous one was answered. */
  answer: (messages: readonly Message[]) => Promise<Answer[]>
  /** Sets the clock of the tab's machine. */
  setNow: (now: number) => Promise<void>
}

/** Opens a site whose worker has a stopped clock of the machine from the beginning. */
async function openTab(base: string): Promise<Tab> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const started = new Promise<Worker>((resolve) => {
    page.on('worker', (worker) => {
      if (worker.url().startsWith(`${base}/site/`)) resolve(worker)
    })
  })
  // The sandbox starts from this file.
  await page.route('**/site.json', async (route) => {
    const worker = await started
    await worker.evaluate(`${PIN_CLOCK}(${Date.now()})`)
    await route.continue()
  })
  await page.goto(`${base}/`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate(IS_CONTROLLED)
  const worker = await started
  return {
    id: await page.evaluate("sessionStorage.getItem('seo-sandbox.tab')"),
    answer: (messages) => answerInPage(page, base, messages),
    setNow: (now) => worker.evaluate(`globalThis.pinned = ${now}`),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

const PIN_CLOCK = `((now) => {
  globalThis.pinned = now
  globalThis.Date = class extends Date {
    constructor(...parts) {
      if (parts.length === 0) super(globalThis.pinned)
      else super(...parts)
    }
    static now() {
      return globalThis.pinned
    }
  }
})`

/** Resolves once the service worker receives the requests of the page. */
const IS_CONTROLLED = `new Promise((resolve) => {
  const { serviceWorker } = navigator
  if (serviceWorker.controller) resolve()
  else serviceWorker.addEventListener('controllerchange', () => resolve())
})`

function answerInPage(page: Page, base: string, messages: readonly Message[]): Promise<Answer[]> {
  return page.evaluate(`(async () => {
    const read = ${String(read)}
    const answers = []
    for (const { target, ...init } of ${JSON.stringify(messages)}) {
      const fetching = fetch(${JSON.stringify(base)} + target, { ...init, redirect: 'manual' })
      answers.push(await read(${JSON.stringify(NOTHING)}, fetching))
    }
    return answers
  })()`)
}
