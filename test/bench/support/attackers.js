/**
 * A process of partners that ask for much: `node attackers.js JSON` with what to do, as often a second, for how long. Prints
 * how often each status came, and ends.
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setInterval as every, setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

const { url, attack, seconds, perSecond, partner, link } = JSON.parse(process.argv[2])
const { key, tokens } = partner
const { hostname, port } = new URL(url)
const token = tokens['sandbox-unlimited']

/** How many of them wait for their response at a time. */
const AT_A_TIME = 60

const LISTS = ['records/keywords', 'requests.har', 'session', 'review', 'explain/projects/1001']
const PACKED = gzipSync(Buffer.alloc(250e6, ' '))
const LARGE = 90_000
const PIPELINED = 20
let count = 0

/** What each sends; returns the status, or what became of it. */
const ATTACKS = {
  'plain requests': () => send('/api/v1/me', { bearer: token }),
  pages: () => send(new URL(link).pathname),
  'packed bodies': () =>
    control('snapshots', { method: 'POST', headers: { 'content-encoding': 'gzip' }, body: PACKED }),
  'slow bodies': () => sendSlowly(),
  snapshots: () => control('snapshots'),
  lists: () => control(LISTS[count % LISTS.length]),
  'large records': () => {
    const body = JSON.stringify({ name: `${count} ${'x'.repeat(LARGE)}` })
    return control('records/projects/1001', { method: 'PATCH', body })
  },
  streams: () => followBriefly(),
  'pipelined searches': () => pipeline(),
}

const statuses = {}
const ended = new AbortController()
const endMs = performance.now() + seconds * 1000
let underWay = 0
for await (const _ of every(1000 / perSecond)) {
  if (performance.now() > endMs) break
  count += 1
  if (underWay < AT_A_TIME) void attackOnce()
}
ended.abort()
process.stdout.write(JSON.stringify(statuses), () => process.exit())

async function attackOnce() {
  underWay += 1
  const outcome = await ATTACKS[attack]().catch(({ code }) => code)
  statuses[outcome] = (statuses[outcome] ?? 0) + 1
  underWay -= 1
}

function control(path, message) {
  return send(`/_sandbox/${path}`, { bearer: key, ...message })
}

async function send(path, { bearer, method = 'GET', headers = {}, body } = {}) {
  const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const sent = { method, headers: { ...authorization, ...headers }, body, signal: ended.signal }
  const response = await fetch(url + path, sent)
  await response.arrayBuffer()
  return response.status
}

/** A body that is announced as large, and of which a tenth of a kilobyte comes each second. */
function sendSlowly() {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-length': 5_000_000 }
    const slow = request(`${url}/_sandbox/snapshots`, { method: 'POST', headers })
    const timer = setInterval(() => slow.write(' '.repeat(100)), 1000)
    slow.on('response', (response) => {
      clearInterval(timer)
      slow.destroy()
      resolve(response.statusCode)
    })
    slow.on('error', (error) => {
      clearInterval(timer)
      reject(error)
    })
    slow.flushHeaders()
  })
}

/** A stream of all events there are, which nobody reads for a second. */
async function followBriefly() {
  const response = await fetch(`${url}/_sandbox/requests/stream`, {
    headers: { authorization: `Bearer ${key}`, 'last-event-id': '0' },
  })
  await send('/api/v1/me', { bearer: token })
  if (response.status === 200) await wait(1000)
  await response.body.cancel()
  return response.status
}

/** Searches for texts that nobody has searched for, on one connection, without waiting for responses. */
async function pipeline() {
  const socket = connect(Number(port), hostname)
  const head = `Host: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`
  for (let at = 1; at <= PIPELINED; at += 1) {
    const last = at === PIPELINED ? 'Connection: close\r\n' : ''
    const target = `/api/v1/projects?search=${count}-${at}-${'e'.repeat(50)}`
    socket.write(`GET ${target} HTTP/1.1\r\n${head}${last}\r\n`)
  }
  const responses = await text(socket)
  const found = [...responses.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)
  return found.at(-1)
}
