/**
 * Clients that use their connections in different ways, at the same time. Each has a token of its own and asks for data
 * that no other one asks for; the headers of most tokens count their requests down. Every response is compared, status,
 * headers and body, with that of a sandbox in this process to which the same client has sent the same requests: a wrong,
 * missing, misordered or foreign response differs. In both processes the machine's clock stands still, which `Date` and the
 * rate limits follow.
 */
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createSandbox } from '../../build/index.js'
import { createRandom } from '../../build/records/random.js'
import { backendOf } from '../../build/server/backend.js'
import { createPageLinks } from '../../build/report-pages/page-links.js'
import { toRequest } from '../bench/support/requests.js'
import { ResponseReader } from './support/response-reader.js'
import { startServer } from './support/server.js'
import { stopClock } from './support/stopped-clock.js'

export const COUNT = 500_000
const CLIENTS = 64
const PROJECTS = 40
const PATIENCE_MS = 60_000

const NUMBERS = Array.from({ length: CLIENTS }, (_, index) => index + 1)

/** The limit of a token in requests a minute, which the headers of each response count down from. */
const RATE_LIMIT = 100_000_000

const PRELOAD = new URL('support/preload.js', import.meta.url).href

export async function run({ seed, count, onlyBatch, report, fail }) {
  const fixtures = createFixtures()
  const server = await startServer(fixtures, {
    args: ['--seed', seed],
    node: ['--import', PRELOAD],
  })
  const startClock = stopClock()
  const sandbox = await createSandbox({ fixtures, seed })
  const show = createPageLinks()
  const linked = { answer: (request) => backendOf(sandbox).answer(request, show) }
  const tally = { compared: 0, connections: 0, asked: 0 }
  const hasTime = () => tally.compared < count && server.ended() === undefined
  const clients = NUMBERS.filter((number) => onlyBatch === undefined || onlyBatch === number)
  await Promise.all(
    clients.map(async (number) => {
      const { name, behave } = behaviourOf(number)
      const client = new Client({
        number,
        server,
        sandbox,
        linked,
        tally,
        random: createRandom(seed, 'client', number),
      })
      try {
        while (hasTime()) {
          await behave(client)
          report(tally.compared)
        }
      } catch (error) {
        fail(`Client ${number} (${name}): ${error.message}`, number)
      }
      client.leave()
    }),
  )
  startClock()
  const code = await server.stop()
  if (code !== 0) fail(`The server has ended with ${code}.`)
  if (server.stderr() !== '') fail(`It has printed ${server.stderr().slice(0, 5000)}`)
  const [compared, connections] = [tally.compared, tally.connections].map((sum) =>
    sum.toLocaleString('en'),
  )
  return `${compared} responses to ${clients.length} clients over ${connections} connections`
}

function createFixtures() {
  return {
    version: 1,
    now: '2026-03-02T09:00:00Z',
    frozen: true,
    agencies: NUMBERS.map((id) => ({ id, name: `Agency ${id}` })),
    users: NUMBERS.map((id) => ({ id, name: `User ${id}`, agency: id })),
    tokens: NUMBERS.map((id) => ({
      id,
      name: `Client ${id}`,
      token: `token-of-client-${id}`,
      agency: id,
      rate_limit: isCounted(id) ? { per_minute: RATE_LIMIT, per_hour: 'unlimited' } : 'unlimited',
    })),
    generate: { projects: PROJECTS * CLIENTS, keywords: 3, reports: { min: 1, max: 4 } },
  }
}

/** One client, on one connection after the other. */
class Client {
  #server
  #linked
  #tally
  #reader
  #socket
  #asked = 0
  #notify = () => {}
  /** Requests on this connection without a response yet. */
  #expected = []
  #random
  /** The ids of its projects. */
  #projects

  constructor({ number, server, sandbox, linked, tally, random }) {
    this.number = number
    const projects = sandbox.world.records.all('projects')
    this.#projects = projects.filter(({ agency }) => agency === number).map(({ id }) => id)
    this.#server = server
    this.#linked = linked
    this.#tally = tally
    this.#random = random
  }

  get random() {
    return this.#random
  }

  get socket() {
    return this.#socket
  }

  /** Opens a connection, unless one is open. */
  async open() {
    if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return
    this.#tally.connections += 1
    this.#reader = new ResponseReader()
    this.#expected = []
    const socket = connect({ port: this.#server.port, host: '127.0.0.1', allowHalfOpen: true })
    this.#socket = socket
    socket.on('data', (piece) => {
      this.#reader.add(piece)
      this.#notify()
    })
    for (const event of ['end', 'close', 'error']) socket.on(event, () => this.#notify())
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
  }

  /** Draws requests, and returns their bytes. Their expected responses come from the sandbox in this order. */
  draw(count, { isLast = false } = {}) {
    const messages = Array.from({ length: count }, (_, index) => {
      this.#asked += 1
      const sent = this.#drawRequest()
      const { target, method, token, body } = sent
      this.#expected.push({ sent, response: this.#linked.answer(toRequest(target, sent)) })
      return [
        `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${this.#server.port}\r\nAccept: application/json\r\n`,
        `Authorization: Bearer ${token}\r\n`,
        isLast && index === count - 1 ? 'Connection: close\r\n' : '',
        body === undefined ? '\r\n' : `Content-Length: ${body.length}\r\n\r\n${body}`,
      ].join('')
    })
    return Buffer.from(messages.join(''))
  }

  #drawRequest() {
    const { number } = this
    const random = this.#random
    const project = random.chance(0.95) ? random.pick(this.#projects) : random.integer(1, 2000)
    const paths = [
      '/me',
      `/projects?search=${number}x${this.#asked}`,
      `/projects?page=${random.integer(1, 4)}&per_page=${random.integer(1, 12)}&search=&status=`,
      `/projects/${project}`,
      `/projects/${project}/reports`,
      `/projects/${project}/reports/latest`,
      `/projects/${project}/reports/${random.integer(1, 5)}/content`,
      `/projects/${project}/keywords`,
      `/users?for=${this.#asked}`,
      `/projects?colour${number}=${this.#asked}`,
      `/nothing/${number}/${this.#asked}`,
    ]
    const method = random.chance(0.9) ? 'GET' : random.pick(['HEAD', 'POST', 'DELETE'])
    const body = method === 'POST' ? 'x'.repeat(random.integer(0, 2000)) : undefined
    return {
      target: `/api/v1${random.pick(paths)}`,
      method,
      token: random.chance(0.97) ? `token-of-client-${number}` : `nobody-${number}`,
      accept: 'application/json',
      origin: `http://127.0.0.1:${this.#server.port}`,
      body,
    }
  }

  /**
   * Compares responses as they arrive until `left` of them are still to come.
   *
   * @throws if one is wrong, or does not come.
   */
  async compare(left = 0) {
    const timer = setTimeout(() => this.#socket.destroy(), PATIENCE_MS)
    while (this.#expected.length > left) {
      const [{ sent, response: expected }] = this.#expected
      const given = this.#reader.next(sent.method === 'HEAD')
      if (given) {
        this.#expected.shift()
        const difference = findDifference(given, expected, sent)
        if (difference) throw new Error(`${sent.method} ${sent.target}: ${difference}`)
        this.#tally.compared += 1
      } else if (this.#socket.destroyed || this.#socket.readableEnded) {
        throw new Error(
          `No response to ${sent.method} ${sent.target}, and ${this.#expected.length - 1} after it.`,
        )
      } else {
        await new Promise((resolve) => {
          this.#notify = resolve
        })
      }
    }
    clearTimeout(timer)
  }

  /** @throws if more has arrived than was requested. */
  expectNoMore() {
    if (this.#reader.rest > 0)
      throw new Error(`${this.#reader.rest} bytes more than responses were asked for.`)
  }

  leave() {
    this.#socket?.destroy()
  }
}

/** The headers that only a server sends. */
const OF_CONNECTION = ['connection', 'keep-alive']

function findDifference({ status, headers, body }, expected, { method }) {
  if (status !== expected.status) return `status ${status} in place of ${expected.status}`
  const whole = { ...expected.headers, 'Content-Length': String(expected.body.byteLength) }
  for (const [name, value] of Object.entries(whole)) {
    const given = headers.get(name.toLowerCase())
    if (given !== value) return `${name}: ${given} in place of ${value}`
  }
  const others = [...headers.keys()].filter((name) => !OF_CONNECTION.includes(name))
  if (others.length > Object.keys(whole).length) return `headers ${others.join(', ')}`
  if (method === 'HEAD' || Buffer.compare(body, expected.body) === 0) return undefined
  return `${body.toString().slice(0, 300)} in place of ${Buffer.from(expected.body).toString().slice(0, 300)}`
}

/** Ways to use a connection: eight clients each. */
const BEHAVIOURS = [
  { name: 'one request after the other', behave: (client) => sendAndCompare(client, 1) },
  {
    name: 'a few requests in one write',
    behave: (client) => sendAndCompare(client, client.random.integer(2, 8)),
  },
  {
    name: 'many requests in one write',
    behave: (client) => sendAndCompare(client, client.random.integer(50, 300)),
  },
  { name: 'bytes in small pieces', behave: trickle },
  { name: 'ends its side of the connection', behave: endOwnSide },
  { name: 'asks for the connection to be closed', behave: askToClose },
  { name: 'reads slowly', behave: readSlowly },
  { name: 'vanishes', behave: vanish },
]

function behaviourOf(number) {
  return BEHAVIOURS[number % BEHAVIOURS.length]
}

/** Clients that vanish do not know how many of their requests were counted. */
function isCounted(number) {
  return behaviourOf(number).behave !== vanish
}

async function sendAndCompare(client, count) {
  await client.open()
  client.socket.write(client.draw(count))
  await client.compare()
  client.expectNoMore()
}

async function trickle(client) {
  await client.open()
  const bytes = client.draw(client.random.integer(1, 12))
  for (let at = 0; at < bytes.length;) {
    const end = at + client.random.integer(1, 400)
    client.socket.write(bytes.subarray(at, end))
    at = end
    await setImmediate()
  }
  await client.compare()
  client.expectNoMore()
}

async function endOwnSide(client) {
  await client.open()
  client.socket.end(client.draw(client.random.integer(1, 40)))
  await client.compare()
  client.expectNoMore()
  client.leave()
}

async function askToClose(client) {
  await client.open()
  client.socket.write(client.draw(client.random.integer(1, 40), { isLast: true }))
  await client.compare()
  client.expectNoMore()
  client.leave()
}

async function readSlowly(client) {
  await client.open()
  client.socket.pause()
  client.socket.write(client.draw(client.random.integer(100, 400)))
  for (let turns = client.random.integer(1, 200); turns > 0; turns -= 1) await setImmediate()
  client.socket.resume()
  await client.compare()
  client.expectNoMore()
}

/** Reads some of the responses, and disconnects. */
async function vanish(client) {
  await client.open()
  const count = client.random.integer(1, 60)
  const bytes = client.draw(count)
  const isCut = client.random.chance(0.3)
  client.socket.write(isCut ? bytes.subarray(0, client.random.integer(1, bytes.length)) : bytes)
  if (!isCut) await client.compare(client.random.integer(0, count))
  if (client.random.chance(0.5)) client.socket.resetAndDestroy()
  client.leave()
}
