/** The memory of a server under a long mixed load over HTTP with commands in between: the heap in use must not grow. */
import { Agent, request as httpRequest } from 'node:http'
import { createRandom } from '../../build/records/random.js'
import { startServed } from './support/processes.js'
import { atMost } from './support/report.js'

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
/** The heap in use at the end relative to that after half of the time. */
const GROWTH_BAR = 1.1

export async function measure({ isShort }) {
  const seconds = isShort ? 10 : 60
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })
  const server = await startServed('sandbox', WORLD)
  try {
    return toSection(await soak({ server, agent, seconds }), seconds)
  } finally {
    agent.destroy()
    await server.stop()
  }
}

function toSection({ requests, commands, liveHeaps }, seconds) {
  return {
    title: 'Soak',
    about: `${seconds} s of mixed load over ${CONNECTIONS} connections with commands in between`,
    columns: ['', 'measured'],
    rows: [
      ['requests', requests],
      ['requests per second', requests / seconds],
      ['commands', commands],
      // Resident memory depends on when V8 collects; the heap in use does not.
      [`heap in use after ${seconds / 2} s, MB`, liveHeaps[0] / 1e6],
      ['heap in use at the end, MB', liveHeaps[1] / 1e6],
    ],
    bars: [atMost(GROWTH_BAR, 'growth of the heap in use under load', liveHeaps[1] / liveHeaps[0])],
  }
}

async function soak({ server, agent, seconds }) {
  const random = createRandom('soak')
  const origin = `http://127.0.0.1:${server.port}`
  const send = createSender(origin)
  const liveHeaps = []
  let [requests, commands] = [0, 0]
  const start = performance.now()
  const elapsedMs = () => performance.now() - start
  while (elapsedMs() < seconds * 1000) {
    const batch = Array.from({ length: REQUESTS_BETWEEN_COMMANDS }, () => drawRequest(random))
    requests += batch.length
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let sent = batch.pop(); sent; sent = batch.pop()) await ask(origin, sent, agent)
      }),
    )
    await random.pick(STEPS)(random, send)
    commands += 1
    if (liveHeaps.length === 0 && elapsedMs() >= seconds * 500) {
      liveHeaps.push(await server.liveHeap())
    }
  }
  liveHeaps.push(await server.liveHeap())
  return { requests, commands, liveHeaps }
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

function drawRequest(random) {
  const path = random.chance(0.5)
    ? random.pick(HOT_PATHS)
    : `/projects/${random.pick(PROJECT_IDS)}${random.pick(OF_PROJECT)}`
  return { target: `/api/v1${path}`, token: random.pick(['super', 'first', 'x']) }
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

/** The weight of each kind of step, and the step. */
const STEPS = [
  [8, (random, send) => send({ type: 'clock.advance', by: random.pick(['PT1M', 'PT1H', 'P1D']) })],
  [1, (_random, send) => send({ type: 'clock.set', now: NOW })],
  [8, (random, send) => send(drawPatch(random))],
  [4, (random, send) => send(drawPut(random))],
  [
    2,
    (random, send) =>
      send({ type: 'record.delete', collection: 'projects', id: drawNewId(random) }),
  ],
  [3, (random, send) => send({ type: 'fault.set', faults: [random.pick(FAULTS)] })],
  [3, (_random, send) => send({ type: 'fault.set', faults: [] })],
  [
    2,
    (random, send) =>
      send({
        type: 'policy.set',
        policies: { 'search-match': random.pick(['substring', 'like']) },
      }),
  ],
  [1, (_random, send) => send({ type: 'reset' })],
  [1, (_random, send) => send.save()],
  [1, (_random, send) => send.restore()],
].flatMap(([share, step]) => Array(share).fill(step))

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

/** Sends a command, whose record may not exist any more. Has a snapshot that it saves and restores. */
function createSender(origin) {
  let kept
  const send = async (command) => {
    const body = JSON.stringify(command)
    const response = await fetch(`${origin}/_sandbox/commands`, { method: 'POST', body })
    await response.arrayBuffer()
    if (response.status >= 500) throw new Error(`${command.type} ends with ${response.status}.`)
  }
  const save = async () => {
    kept = await (await fetch(`${origin}/_sandbox/snapshots`)).json()
  }
  const restore = () => kept && send({ type: 'snapshot.restore', snapshot: kept })
  return Object.assign(send, { save, restore })
}

/** Resolves when the response has ended, possibly early by a fault. */
function ask(origin, { target, token }, agent) {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  return new Promise((resolve) => {
    const sent = httpRequest(origin + target, { headers, agent }, (response) => {
      // Handled by the close event that follows.
      response.on('error', () => undefined)
      response.resume().once('close', resolve)
    })
    sent.once('error', resolve)
    sent.end()
  })
}
