/**
 * A server with little memory, `--max-old-space-size=512`: worlds are created until it refuses one, then every list and
 * content of them is read, and commands change them, for so many seconds. It must stay alive, refuse with a 507 what it has no
 * room for, and give no other wrong answer: what it serves of a world must be what was put there.
 *
 *   node test/soak/memory.js --seconds 600
 */
import { Agent, request as httpRequest } from 'node:http'
import { parseArgs } from 'node:util'
import { createRandom } from '../../build/records/random.js'
import { startCommandLine } from '../bench/support/processes.js'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' } } })

const HEAP = '--max-old-space-size=512'
const CLIENTS = 6
const SHOWN_WRONG = 5
/** How long a world is used before others are, so that some are unused for more than a minute. */
const SHIFT_MS = 75_000

const random = createRandom('memory')
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
const server = await startCommandLine(['--rate-limit', 'unlimited', '--quiet'], {
  env: { NODE_OPTIONS: HEAP },
})
const counts = { worlds: 0, requests: 0, commands: 0, refused: 0, dropped: 0 }
const wrong = []
let mostBytes = 0
/** What is known of each world: its marker is in the name of every project. */
const worlds = []

async function useWorlds(endMs) {
  while (performance.now() < endMs) {
    const world = pickWorld()
    await random.pick([...Array(20).fill(readOne), changeOne, longQuery])(world)
    if (random.chance(0.005)) await createWorld()
    if (random.chance(0.01)) mostBytes = Math.max(mostBytes, await server.memory())
  }
}

/** A world of the half that is used at this time. */
function pickWorld() {
  const half = Math.floor(performance.now() / SHIFT_MS) % 2
  const used = worlds.filter((_, index) => index % 2 === half)
  return random.pick(used.length > 0 ? used : worlds)
}

/* Worlds. */

/** Creates a world of some kind; returns whether there was room for it. */
async function createWorld() {
  counts.worlds += 1
  const marker = `world-${counts.worlds}`
  const kind = random.pick(['fixtures', 'generated', 'small'])
  const body = kind === 'generated' ? { generate: { projects: 1000 } } : fixturesOf(marker, kind)
  const { status, data } = await control('POST', '/worlds', body)
  if (status === 201) {
    const [token] = Object.values(data.tokens)
    worlds.push({ id: data.id, token, kind, marker, reads: 0 })
    return true
  }
  counts.worlds -= 1
  // Only so many large bodies may be sent at a time.
  if (status === 429) return true
  expectRefusal(status, data, 'POST /worlds')
  return status !== 507
}

/** Fixtures of 3.2 MB, or small ones. */
function fixturesOf(marker, kind) {
  const count = kind === 'fixtures' ? 1150 : 5
  const projects = Array.from({ length: count }, (_, index) => createProject(index + 1, marker))
  const tokens = [{ id: 1, name: 'super', token: 'super' }]
  return { fixtures: { version: 1, agencies: [{ id: 1, name: 'One' }], tokens, projects } }
}

function createProject(id, marker) {
  const created_at = '2026-01-01T00:00:00Z'
  const keywords = Array.from({ length: 20 }, (_, index) => ({
    id: id * 100 + index,
    keyword: `some keyword ${index}`,
    active: true,
    create_date: '2026-01-01',
  }))
  const reports = Array.from({ length: 10 }, (_, index) => ({
    id: id * 100 + index,
    report_number: index + 1,
    report_name: 'A report',
    status: 'pending',
    created_at,
  }))
  const name = `Project ${id} of ${marker}`
  return { id, agency: 1, name, status: 'active', created_at, keywords, reports }
}

/* Requests. */

const PARTS = ['/reports/1/content', '/reports', '/keywords', '', '/reports/latest', 'page']

/** Reads the next list or content of a world: in the end all of them, and then again. */
async function readOne(world) {
  const [first, count] = { generated: [1001, 1000], fixtures: [1, 1150], small: [1, 5] }[world.kind]
  const id = first + (world.reads % count)
  const part = PARTS[Math.floor(world.reads / count) % PARTS.length]
  world.reads += 1
  const page = Math.ceil((id - first + 1) / 100)
  await read(world, part === 'page' ? `/projects?page=${page}` : `/projects/${id}${part}`)
}

/** Queries are kept in the journal. */
async function longQuery(world) {
  await read(world, `/projects?search=${random.integer(1, 1e9)}${'x'.repeat(10_000)}`)
}

async function read(world, path) {
  counts.requests += 1
  const headers = { authorization: `Bearer ${world.token}` }
  const { status, text } = await send('GET', `/api/v1${path}`, { headers })
  if (status === 401 && (await isDropped(world))) return
  const isRight = [200, 404].includes(status) && isOfWorld(world, text)
  if (!isRight)
    wrong.push(`GET ${path.slice(0, 80)} of ${world.id}: ${status} ${text.slice(0, 200)}`)
}

/** Whether every project in a body is of this world. */
function isOfWorld({ kind, marker }, text) {
  if (kind === 'generated') return !text.includes(' of world-')
  return [...text.matchAll(/ of (world-\d+)/g)].every(([, named]) => named === marker)
}

/* Commands. */

const COMMANDS = [
  ({ marker, kind }) => {
    const [from, to] = kind === 'generated' ? [1001, 2000] : [1, 5]
    const id = random.integer(from, to)
    const name = kind === 'generated' ? 'Changed' : `Changed project ${id} of ${marker}`
    return { method: 'PATCH', path: `/records/projects/${id}`, body: { name } }
  },
  () => putAgency(1, random.integer(1, 500_000)),
  () => putAgency(random.integer(2, 50), 200_000),
  () => ({ method: 'POST', path: '/clock', body: { advance: 'PT1H' } }),
  () => ({ method: 'PATCH', path: '/policies', body: { 'project-order': 'name' } }),
  () => ({ method: 'POST', path: '/reset' }),
  () => ({ method: 'DELETE', path: '/requests' }),
  ({ marker, kind }) =>
    kind === 'small'
      ? { method: 'POST', path: '/commands', body: loadOf(marker) }
      : { method: 'POST', path: '/clock', body: { frozen: true } },
]

function putAgency(id, length) {
  return { method: 'PUT', path: `/records/agencies/${id}`, body: { name: 'x'.repeat(length) } }
}

function loadOf(marker) {
  return { type: 'fixtures.load', ...fixturesOf(marker, 'small') }
}

async function changeOne(world) {
  counts.commands += 1
  const { method, path, body } = random.pick(COMMANDS)(world)
  const { status, data, text } = await control(method, `${path}?world=${world.id}`, body)
  if ([200, 201, 204].includes(status)) return
  if (status === 404 && (await isDropped(world))) return
  expectRefusal(status, data, `${method} ${path} ${text.slice(0, 200)}`)
}

function expectRefusal(status, data, what) {
  // A body that does not fit into memory while it is read has a code of its own.
  const codes = ['insufficient_memory', 'insufficient_memory']
  const isRefusal = status === 507 && codes.includes(data?.error?.code)
  if (isRefusal) counts.refused += 1
  else wrong.push(`${what}: ${status}`)
}

/** Whether a world was dropped for others. */
async function isDropped(world) {
  const { data } = await control('GET', '/worlds')
  if (data.some(({ id }) => id === world.id)) return false
  const at = worlds.indexOf(world)
  if (at !== -1) {
    worlds.splice(at, 1)
    counts.dropped += 1
  }
  return true
}

/* HTTP. */

async function control(method, path, body) {
  const answer = await send(method, `/_sandbox${path}`, { body: body && JSON.stringify(body) })
  return { ...answer, data: answer.text === '' ? undefined : JSON.parse(answer.text) }
}

function send(method, path, options = {}) {
  const { headers = {}, body } = options
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers, agent }, (response) => {
      const pieces = []
      response.on('data', (piece) => pieces.push(piece))
      response.once('error', reject)
      response.once('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }),
      )
    })
    sent.once('error', (error) => {
      // The server may close a connection that was idle just when it is used again.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send(method, path, options))
      else reject(error)
    })
    sent.end(body)
  })
}

/* The run. */

try {
  // All of them are used, so that none is dropped for the next, however long it takes.
  while (await createWorld()) for (const world of worlds) await readOne(world)
  const untilFull = worlds.length
  const endMs = performance.now() + Number(values.seconds) * 1000
  await Promise.all(Array.from({ length: CLIENTS }, () => useWorlds(endMs)))
  report(untilFull)
} finally {
  agent.destroy()
  await server.stop()
}

function report(untilFull) {
  const { requests, commands, refused, dropped } = counts
  const summary = `${untilFull} worlds until full, ${counts.worlds - untilFull} later, ${dropped} dropped, ${refused} refusals; ${requests} requests, ${commands} commands; at most ${Math.round(mostBytes / 1e6)} MB`
  process.stdout.write(
    `memory: ${values.seconds} s with ${HEAP}: ${summary}; ${wrong.length} wrong\n`,
  )
  for (const sentence of wrong.slice(0, SHOWN_WRONG)) process.stdout.write(`  ${sentence}\n`)
  if (wrong.length > 0 || refused === 0) process.exitCode = 1
}
