/**
 * A long mixed load over HTTP with commands in between. Every response is compared with that of another
 * sandbox in this process, which received the same commands in the same order and caches nothing: status,
 * headers and the bytes of the body. The memory of the server is monitored meanwhile.
 *
 * `Date` and `X-RateLimit-Reset`, which says when a fault's 429 ends, are not compared, because they follow
 * the machine's clock, which two processes read at different times. The world clock is frozen and moved only
 * by commands, and all tokens are unlimited, so everything else is identical. `Connection` and `Keep-Alive`
 * are not compared either, because only a server sends them.
 */
import { Agent, request as httpRequest } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { createSandbox } from '../../build/index.js'
import { Cache } from '../../build/contract/cache.js'
import { createRandom } from '../../build/records/random.js'
import { hostOf } from '../../build/server/host.js'
import { createPageLinks } from '../../build/report-pages/report-links.js'
import { startServed } from './support/processes.js'
import { atMost, median, noMoreThan } from './support/report.js'
import { toRequest } from './support/requests.js'

const NOW = '2026-03-02T09:00:00Z'

const WORLD = {
  fixtures: {
    version: 1,
    agencies: [
      { id: 1, name: 'First' },
      { id: 2, name: 'Second' },
    ],
    projects: Array.from({ length: 10 }, (_, index) => createProject(index + 1)),
    tokens: [
      { id: 1, name: 'super', token: 'super' },
      { id: 2, name: 'first', token: 'first', agency: 1 },
      { id: 3, name: 'disabled', token: 'disabled', status: 'disabled' },
      { id: 4, name: 'elsewhere', token: 'elsewhere', allowed_ips: ['192.0.2.0/24'] },
    ],
  },
  generate: { projects: 60 },
  seed: 'soak',
  now: NOW,
  frozen: true,
  rateLimit: 'unlimited',
}

function createProject(id, name = `Garden ${id}`) {
  const agency = 1 + (id % 2)
  return { id, agency, name, status: 'active', created_at: '2026-01-15T09:00:00Z' }
}

const CONNECTIONS = 16
const REQUESTS_BETWEEN_COMMANDS = 100
/** Requests between commands while a fault counts them, which are then sent one after the other. */
const REQUESTS_IN_ORDER = 30

/** No response may differ from a newly computed one. */
const WRONG_BAR = 0
/** The heap in use at the end relative to that after half of the time. */
const GROWTH_BAR = 1.1
/** The parts of the time whose resident memory is shown: 20 to 30 s and 50 to 60 s. */
const EARLY = [1 / 3, 1 / 2]
const LATE = [5 / 6, 1]

const MEMORY_EVERY_MS = 100
const SHOWN_WRONG = 3

export async function measure({ isShort }) {
  const seconds = isShort ? 10 : 60
  const restoreCaches = disableCaches()
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })
  const server = await startServed('sandbox', WORLD)
  try {
    const sandbox = await createSandbox(WORLD)
    return toSection(await soak({ server, sandbox, agent, seconds }), seconds)
  } finally {
    agent.destroy()
    await server.stop()
    restoreCaches()
  }
}

/** Disables the caches of this process, until the returned function is called. */
function disableCaches() {
  return override(Cache.prototype, 'get', () => undefined)
}

/** @throws if the method does not exist: cached results would then be compared with cached results. */
function override(prototype, name, method) {
  const own = prototype[name]
  if (typeof own !== 'function') throw new Error(`There is no ${name} to override.`)
  prototype[name] = method
  return () => {
    prototype[name] = own
  }
}

function toSection({ requests, commands, wrong, memory, liveHeaps }, seconds) {
  const early = median(memoryWithin(memory, EARLY, seconds))
  const late = median(memoryWithin(memory, LATE, seconds))
  const period = (parts) => parts.map((part) => (part * seconds).toFixed(0)).join(' to ')
  return {
    title: 'Soak',
    about: `${seconds} s of mixed load over ${CONNECTIONS} connections with commands in between, each response compared with a sandbox that caches nothing`,
    columns: ['', 'measured'],
    rows: [
      ['requests', requests],
      ['requests per second', requests / seconds],
      ['commands', commands],
      ['wrong answers', wrong.length],
      ...wrong.slice(0, SHOWN_WRONG).map((difference) => [difference, 'wrong']),
      [`memory from ${period(EARLY)} s, MB`, early],
      [`memory from ${period(LATE)} s, MB`, late],
      ['ratio', late / early],
      // Resident memory depends on when V8 collects; the heap in use does not.
      [`heap in use after ${(EARLY[1] * seconds).toFixed(0)} s, MB`, liveHeaps[0] / 1e6],
      ['heap in use at the end, MB', liveHeaps[1] / 1e6],
    ],
    bars: [
      noMoreThan(WRONG_BAR, 'wrong answers', wrong.length),
      atMost(GROWTH_BAR, 'growth of the heap in use under load', liveHeaps[1] / liveHeaps[0]),
    ],
  }
}

function memoryWithin(memory, [from, until], seconds) {
  return memory
    .filter(({ second }) => second >= from * seconds && second < until * seconds)
    .map(({ bytes }) => bytes / 1e6)
}

async function soak({ server, sandbox, agent, seconds }) {
  const random = createRandom('soak')
  const origin = `http://127.0.0.1:${server.port}`
  const pair = createPair({ origin, sandbox })
  const show = createPageLinks()
  const linked = { answer: (request) => hostOf(sandbox).answer(request, show) }
  const [memory, liveHeaps, wrong] = [[], [], []]
  let [requests, commands, lastMemory] = [0, 0, -MEMORY_EVERY_MS]
  const check = async (sent) => {
    const expected = expect(linked, sent, origin)
    const given = await ask(sent, { port: server.port, agent })
    requests += 1
    if (!isDeepStrictEqual(given, expected)) wrong.push(describeDifference(sent, given, expected))
  }
  const start = performance.now()
  const elapsedMs = () => performance.now() - start
  while (elapsedMs() < seconds * 1000) {
    const isOrdered = sandbox.faults.list().some(({ schedule }) => schedule)
    const count = isOrdered ? REQUESTS_IN_ORDER : REQUESTS_BETWEEN_COMMANDS
    const batch = Array.from({ length: count }, () => drawRequest(random))
    await Promise.all(
      Array.from({ length: isOrdered ? 1 : CONNECTIONS }, async () => {
        for (let sent = batch.pop(); sent; sent = batch.pop()) await check(sent)
      }),
    )
    const difference = await drawStep(random, sandbox)(pair)
    commands += 1
    if (difference) wrong.push(difference)
    if (elapsedMs() - lastMemory >= MEMORY_EVERY_MS) {
      lastMemory = elapsedMs()
      memory.push({ second: lastMemory / 1000, bytes: await server.memory() })
    }
    if (liveHeaps.length === 0 && elapsedMs() >= EARLY[1] * seconds * 1000) {
      liveHeaps.push(await server.liveHeap())
    }
  }
  liveHeaps.push(await server.liveHeap())
  return { requests, commands, wrong, memory, liveHeaps }
}

/* The requests. */

/** Requested repeatedly, so that their bodies are cached. */
const HOT_PATHS = [
  '/me',
  '/projects?per_page=20',
  '/projects?search=garden&per_page=10',
  '/projects?status=active&per_page=10&page=2',
  '/projects/1',
  '/projects/1001',
  '/projects/1001/reports',
  '/projects/1001/reports/latest',
  '/projects/1002/reports/1/content',
  '/projects/1002/keywords',
]
const OTHER_PATHS = [
  '/countries',
  '/languages',
  '/users',
  '/users/101',
  '/users/999',
  '/projects?agency_id=2&per_page=5',
  '/projects?agency_id=nobody',
  '/projects?search=the&page=2&per_page=3',
  '/projects?status=paused',
  '/projects?colour=green',
  '/projects?page=0',
  '/nothing',
  '',
]
const OF_PROJECT = [
  '',
  '/reports',
  '/reports/latest',
  '/reports/last-generated',
  '/reports/2/content',
  '/reports/27/content',
  '/keywords',
  '/keywords?page=2&per_page=3',
  '/nothing',
]
const PROJECT_IDS = [1, 2, 3, 4, 5, 11, 12, 1001, 1002, 1003, 1010, 1030, 1060, 1061, 'x']

/** Mostly valid tokens, and a few others. */
const TOKENS = [
  ...Array(8).fill('super'),
  ...Array(6).fill('first'),
  'disabled',
  'elsewhere',
  'x',
  '',
]
const METHODS = [...Array(30).fill('GET'), 'HEAD', 'HEAD', 'POST']

function drawRequest(random) {
  return {
    target: `/api/v1${drawPath(random)}`,
    method: random.pick(METHODS),
    token: random.pick(TOKENS),
    accept: random.chance(0.8) ? 'application/json' : undefined,
  }
}

function drawPath(random) {
  if (random.chance(0.5)) return random.pick(HOT_PATHS)
  if (random.chance(0.3)) return random.pick(OTHER_PATHS)
  return `/projects/${random.pick(PROJECT_IDS)}${random.pick(OF_PROJECT)}`
}

/* The commands. */

const FAULTS = [
  { kind: 'status', status: 503, retry_after: 7, endpoint: 'GET /projects' },
  { kind: 'status', status: 429, token: 'first', schedule: { every: 3 } },
  { kind: 'status', status: 404, project: 1001 },
  { kind: 'html', status: 502, schedule: { share: 0.2 } },
  { kind: 'malformed-json', endpoint: 'GET /projects/{project}/reports' },
  { kind: 'truncated-body', endpoint: 'GET /projects/{project}/keywords' },
  { kind: 'reset', endpoint: 'GET /me', schedule: { first: 5 } },
  { kind: 'latency', ms: 3, endpoint: 'GET /projects/{project}' },
  { kind: 'slow-body', ms: 5, endpoint: 'GET /projects/{project}/reports/latest' },
]
const MOST_FAULTS = 2

const POLICIES = {
  'data-refresh': ['fresh', 'stale'],
  'project-order': ['id', 'name', 'created'],
  'search-match': ['substring', 'like'],
  'error-body': ['message', 'envelope'],
  'list-pagination': ['none', 'paginated'],
}

/** The weight of each kind of step, and the step. */
const STEPS = [
  [
    8,
    ({ random }) =>
      sendCommand({ type: 'clock.advance', by: random.pick(['PT1M', 'PT1H', 'P1D']) }),
  ],
  [1, () => sendCommand({ type: 'clock.set', now: NOW })],
  [8, ({ random }) => sendCommand(drawPatch(random))],
  [4, ({ random }) => sendCommand(drawPut(random))],
  [
    2,
    ({ random }) =>
      sendCommand({ type: 'record.delete', collection: 'projects', id: drawNewId(random) }),
  ],
  [6, changeFaults],
  [2, ({ random }) => sendCommand({ type: 'policy.set', policies: drawPolicy(random) })],
  [1, () => sendCommand({ type: 'reset' })],
  [1, () => (pair) => pair.save()],
  [1, () => (pair) => pair.restore()],
].flatMap(([share, step]) => Array(share).fill(step))

function drawStep(random, sandbox) {
  return random.pick(STEPS)({ random, sandbox })
}

function sendCommand(command) {
  return (pair) => pair.send(command)
}

/** Arms a fault or removes one, so that there are times with and without faults. */
function changeFaults({ random, sandbox }) {
  const armed = sandbox.faults.list()
  if (random.integer(1, MOST_FAULTS) <= armed.length) {
    return sendCommand({ type: 'fault.remove', id: random.pick(armed).id })
  }
  return sendCommand({ type: 'fault.add', fault: random.pick(FAULTS) })
}

function drawPatch(random) {
  const number = random.integer(1, 1000)
  return random.pick([
    patch('projects', random.pick([1, 2, 1001, 1002]), { name: `Renamed ${number}` }),
    patch('projects', random.pick([1, 2, 1001]), { status: random.pick(['active', 'paused']) }),
    patch('keywords', 1_002_001, { keyword: `keyword ${number}` }),
    patch('reports', 100_101, { report_name: `Report ${number}` }),
    patch('agencies', 1, { name: `Agency ${number}` }),
  ])
}

function patch(collection, id, fields) {
  return { type: 'record.patch', collection, id, patch: fields }
}

function drawPut(random) {
  const id = drawNewId(random)
  const record = createProject(id, `New garden ${random.integer(1, 1000)}`)
  return { type: 'record.put', collection: 'projects', record }
}

function drawNewId(random) {
  return random.integer(11, 14)
}

function drawPolicy(random) {
  const name = random.pick(Object.keys(POLICIES))
  return { [name]: random.pick(POLICIES[name]) }
}

/** Sends the same commands to the server and the sandbox; each step returns the difference, if any. */
function createPair({ origin, sandbox }) {
  let kept
  const sendToBoth = async (command, ofSandbox = command) => {
    const given = await sendToServer(origin, command)
    const expected = await sendToSandbox(sandbox, ofSandbox)
    if (isDeepStrictEqual(given, expected)) return undefined
    return `${command.type} ${excerptOf(toText(given), toText(expected))}`
  }
  return {
    send: (command) => sendToBoth(command),
    save: async () => {
      const response = await fetch(`${origin}/_sandbox/snapshots`)
      kept = { ofServer: await response.json(), ofSandbox: await sandbox.snapshot() }
    },
    restore: async () => {
      if (!kept) return undefined
      const { ofServer, ofSandbox } = kept
      const type = 'snapshot.restore'
      return sendToBoth({ type, snapshot: ofServer }, { type, snapshot: ofSandbox })
    },
  }
}

async function sendToServer(origin, command) {
  const body = JSON.stringify(command)
  const response = await fetch(`${origin}/_sandbox/commands`, { method: 'POST', body })
  const answer = await response.json()
  return response.ok ? withoutRateClock(answer) : answer.error.message
}

async function sendToSandbox(sandbox, command) {
  try {
    // As over HTTP, where undefined fields are absent.
    return withoutRateClock(JSON.parse(JSON.stringify(await sandbox.command(command))))
  } catch (error) {
    if (error.code === undefined) throw error
    return error.message
  }
}

function withoutRateClock(answer) {
  const { rate_clock: _rateClock, ...result } = answer
  return result
}

/* The actual and the expected responses. */

const NOT_COMPARED = new Set(['date', 'x-ratelimit-reset', 'connection', 'keep-alive'])

function toComparable(headers) {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value])
      .filter(([name]) => !NOT_COMPARED.has(name)),
  )
}

/** The expected response over HTTP; `end` says whether it is complete. */
function expect(linked, { target, ...rest }, origin) {
  const { status, headers, body, wire } = linked.answer(toRequest(target, { ...rest, origin }))
  if (wire?.end === 'reset') return { end: 'reset' }
  const isHead = rest.method === 'HEAD'
  const isTruncated = wire?.end === 'truncated' && !isHead
  const whole = Buffer.from(isHead ? [] : body)
  return {
    status,
    headers: toComparable({ ...headers, 'Content-Length': String(body.byteLength) }),
    body: isTruncated ? whole.subarray(0, Math.floor(whole.byteLength / 2)) : whole,
    end: isTruncated ? 'truncated' : 'whole',
  }
}

function ask({ target, method, token, accept }, { port, agent }) {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(accept && { accept }),
  }
  const options = { host: '127.0.0.1', port, path: target, method, headers, agent }
  return new Promise((resolve) => {
    const sent = httpRequest(options, (response) => {
      const pieces = []
      response.on('data', (piece) => pieces.push(piece))
      // Handled by the close event that follows.
      response.on('error', () => undefined)
      response.once('close', () =>
        resolve({
          status: response.statusCode,
          headers: toComparable(response.headers),
          body: Buffer.concat(pieces),
          end: response.complete ? 'whole' : 'truncated',
        }),
      )
    })
    sent.once('error', () => resolve({ end: 'reset' }))
    sent.end()
  })
}

function describeDifference({ method, target, token }, given, expected) {
  const name = Object.keys(expected).find((key) => !isDeepStrictEqual(given[key], expected[key]))
  const [is, shouldBe] = [given, expected].map((answer) => toText(answer[name]))
  return `${method} ${target} by ${token || 'nobody'}: ${name} ${excerptOf(is, shouldBe)}`
}

function toText(value) {
  return String(Buffer.isBuffer(value) ? value : JSON.stringify(value))
}

const SHOWN_CHARACTERS = 40

/** Where two texts differ first. */
function excerptOf(is, shouldBe) {
  const at = [...is].findIndex((character, index) => character !== shouldBe[index])
  const from = Math.max(0, (at === -1 ? is.length : at) - SHOWN_CHARACTERS / 2)
  const [one, other] = [is, shouldBe].map((text) => text.slice(from, from + SHOWN_CHARACTERS))
  return `has ${one} in place of ${other} at ${from}`
}
