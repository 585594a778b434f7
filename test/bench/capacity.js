/**
 * Capacity of a host of partners, for docs/hosting/several-servers.md: the log by the clients that fill it, partners before they
 * begin, and the memory of Redis, HAProxy and the servers without them. Over the configuration of docs/hosting.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import { whyNoHaproxy } from '../store/support/haproxy.js'
import { startHostingHaproxy } from '../store/support/hosting-haproxy.js'
import { startRedis, whyNoRedis } from '../store/support/redis.js'
import { ask } from './support/ask.js'
import { atOnce } from './support/at-once.js'
import { CLIENTS } from './support/clients.js'
import { memoryOf, startCommandLine } from './support/processes.js'
import { atMost, median, noMoreThan, within } from './support/report.js'

const ADMIN_KEY = 'the-admin-key-of-a-benchmark'
const TOKEN = 'sandbox-unlimited'
const PATH = '/api/v1/projects/101/reports/latest'
const KB = 1000

// With so many requests, the distance between snapshots is at its maximum.
const FULL = { requests: 10_000, partners: 10_000, used: 10, connections: 1000 }
const SHORT = { requests: 200, partners: 200, used: 2, connections: 100 }

/** Number of requests that a partner has sent whose world is measured, in turn to these paths. */
const REQUESTS_OF_PARTNER = 1000
const PATHS = ['me', 'projects', 'projects/101', 'projects/101/reports/latest']

/** Interval between readings of a world's memory while it is used, in milliseconds. */
const EVERY_MS = 50

function whyNoCurl() {
  const reason = CLIENTS.curl.whyNot()
  return reason && `It needs curl: ${reason}.`
}

export async function measure({ isShort }) {
  const extent = isShort ? SHORT : FULL
  const skipped = whyNoRedis() ?? whyNoHaproxy() ?? whyNoCurl()
  if (skipped) return { title: 'A host of partners', skipped }
  const redis = await startRedis({ config: { appendfsync: 'everysec' } })
  const running = [redis]
  try {
    const args = ['--store', redis.url, '--quiet', '--admin-key', ADMIN_KEY, '--trust-proxy', '1']
    const options = ['--cors', '*', '--limits', 'requests=1000000']
    const servers = []
    for (let count = 0; count < 2; count += 1) {
      servers.push(await startCommandLine([...args, ...options]))
      running.push(servers.at(-1))
    }
    const haproxy = await startHostingHaproxy(
      servers.map(({ port }) => port),
      { requestsPerAddress: 1_000_000 },
    )
    running.push(haproxy)
    const host = { redis, servers, haproxy }
    const [held, listed] = await measureHost(host, extent)
    return [held, listed, await measureLog(host, extent)]
  } finally {
    for (const each of running.toReversed()) await each.stop()
  }
}

/* The log. */

/** Maximum bytes that a request may take of Redis until a snapshot replaces it. */
const MOST_BYTES = 600

async function measureLog(host, { requests }) {
  const rows = []
  const bars = []
  for (const [name, { whyNot, send }] of Object.entries(CLIENTS)) {
    const reason = whyNot()
    if (reason === undefined) {
      const sent = await countSent(send)
      const { headers, entry, inRedis, mostOfWorld } = await measureEntries(host, send, requests)
      rows.push([name, sent, headers, entry, inRedis, mostOfWorld / KB])
      bars.push(noMoreThan(MOST_BYTES, `bytes of Redis a request, ${name}`, inRedis))
    } else {
      rows.push([`${name}: ${reason}`, '', '', '', '', ''])
    }
  }
  return {
    title: 'The log of a world by client',
    about: `${requests.toLocaleString('en')} requests to ${PATH} with a token, through HAProxy; bytes of a request: the headers that reach a server, those that the log has of them, its entry as JSON, and what that takes of Redis; and the most that the world took at any time, kB`,
    columns: ['', 'headers sent', 'headers kept', 'entry', 'Redis', 'most of a world'],
    rows,
    bars,
  }
}

async function measureEntries({ redis, servers, haproxy }, send, count) {
  const created = { token: ADMIN_KEY, method: 'POST' }
  const { id, tokens } = await ask(`${servers[0].url}/_sandbox/worlds`, created)
  const { url, caFile } = haproxy
  const sent = send({ url: url + PATH, token: tokens[TOKEN], caFile, count })
  const mostOfWorld = await mostMemory(redis, id, sent)
  const log = `seo-sandbox:{${id}}:log`
  const entries = await redis.command('XRANGE', log, '-', '+')
  const contents = entries.map(([, fields]) => fields[fields.indexOf('e') + 1])
  const headers = contents.map((content) => lengthOf(JSON.parse(content).request.at(5)))
  return {
    headers: mean(headers),
    entry: mean(contents.map((content) => content.length)),
    inRedis: (await memoryUsage(redis, log)) / entries.length,
    mostOfWorld,
  }
}

/** The maximum memory of a world's keys until `work` is done. */
async function mostMemory(redis, id, work) {
  const done = work.then(() => true)
  let most = 0
  for (;;) {
    const keys = await redis.command('KEYS', `seo-sandbox:{${id}}:*`)
    const sizes = await Promise.all(keys.map((key) => memoryUsage(redis, key)))
    most = Math.max(most, sum(sizes))
    if (await Promise.race([done, wait(EVERY_MS, false)])) return most
  }
}

/** The memory of a key, in bytes; 0 for a key that is gone. */
async function memoryUsage(redis, key) {
  return (await redis.command('MEMORY', 'USAGE', key, 'SAMPLES', 0)) ?? 0
}

/** The number of characters in the headers of a request that reaches a server behind HAProxy. */
async function countSent(send) {
  let counted = 0
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === PATH) counted = lengthOf(request.rawHeaders)
    const allowed = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*, authorization',
    }
    response.writeHead(200, allowed).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  const haproxy = await startHostingHaproxy([port, port])
  try {
    const { url, caFile } = haproxy
    // As long as a token of a partner.
    const token = 'sandbox-unlimited~w1-0123456789abcdef'
    await send({ url: url + PATH, token, caFile, count: 1 })
  } finally {
    await haproxy.stop()
    server.close()
  }
  return counted
}

function lengthOf(texts) {
  return sum(texts.map(({ length }) => length))
}

function mean(values) {
  return sum(values) / values.length
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

/* The host. */

async function measureHost(host, { partners: count, used, connections }) {
  const { redis, servers, haproxy } = host
  const [empty, emptyResident] = [await usedMemory(redis), await memoryOf(redis.pid)]
  const emptyFile = await sizeOfFile(redis)
  const [server] = servers
  const emptyStarts = await timeStarts(redis)
  const [idleServer, idleProxy] = [await server.memory(), await memoryOf(haproxy.pid)]
  const partners = []
  await atOnce(count, async (at) => {
    partners.push(await invite(servers[at % servers.length], at))
  })
  const invited = await usedMemory(redis)
  const invitedResident = await memoryOf(redis.pid)
  const unused = (invited - empty) / count
  const file = ((await sizeOfFile(redis)) - emptyFile) / count
  const invitedServer = await server.memory()
  const listed = await measureLists(host, partners, emptyStarts)
  const connected = await withConnections(haproxy, connections, () => memoryOf(haproxy.pid))
  const { url, caFile } = haproxy
  for (const { tokens } of partners.slice(0, used)) {
    const paths = `${url}/api/v1/{${PATHS.join(',')}}`
    const times = REQUESTS_OF_PARTNER / PATHS.length
    await CLIENTS.curl.send({ url: paths, token: tokens[TOKEN], caFile, count: times })
  }
  const worked = ((await usedMemory(redis)) - invited) / used + unused
  const named = `${count.toLocaleString('en')} partners who have not begun`
  const rows = [
    ['Redis without worlds', empty / KB, emptyResident / KB],
    [`Redis with ${named}`, invited / KB, invitedResident / KB],
    ['of it a partner who has not begun', unused / KB, ''],
    ['of its append-only file such a partner', file / KB, ''],
    [`a partner with ${REQUESTS_OF_PARTNER.toLocaleString('en')} requests`, worked / KB, ''],
    ['HAProxy', '', idleProxy / KB],
    [`HAProxy with ${connections.toLocaleString('en')} connections`, '', connected / KB],
    ['a server without worlds', '', idleServer / KB],
    [`a server after the invitation of ${named}`, '', invitedServer / KB],
  ]
  const held = {
    title: 'A host of partners',
    about: `memory in kB, in use and of the process; HAProxy with TLS, and two servers, as in docs/hosting; partners with the default fixture, mean of ${used} that have sent requests with curl`,
    columns: ['', 'in use', 'of the process'],
    rows,
    bars: [noMoreThan(3, 'Redis memory of a partner who has not begun, kB', unused / KB)],
  }
  return [held, listed]
}

/* The lists, and a start beside all these worlds. */

const ROUNDS = 5
const LISTS_AT_ONCE = 3

async function measureLists({ redis, servers }, partners, emptyStarts) {
  const [{ url }] = servers
  const [{ tokens }] = partners
  const longestUntil = longestWait(`${url}/api/v1/me`, tokens[TOKEN])
  const [idle, beside, took] = [[], [], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    const lists = Array.from({ length: LISTS_AT_ONCE }, () => readList(`${url}/_sandbox/partners`))
    beside.push(await longestUntil(Promise.all(lists)))
    took.push(performance.now() - begun)
    idle.push(await longestUntil(wait(took.at(-1))))
  }
  const starts = await timeStarts(redis)
  const [empty, full] = [median(emptyStarts), median(starts)]
  const named = partners.length.toLocaleString('en')
  return {
    title: 'Lists of partners, and a start beside them',
    about: `milliseconds, medians of ${ROUNDS}: the longest wait of another partner's requests, one at a time, while GET /_sandbox/partners returns ${named} partners to ${LISTS_AT_ONCE} at once, and as long without; and from the start of a server to its first line, with ${named} partners in the store and none`,
    columns: ['', 'beside', 'without'],
    rows: [
      ['longest wait', median(beside), median(idle)],
      ['the lists', median(took), ''],
      ['a start', full, empty],
    ],
    bars: [
      within(
        50,
        'longer wait of others while partners are listed, ms',
        median(beside) - median(idle),
      ),
      atMost(1.2, 'a start, with partners in the store against none', full / empty),
    ],
  }
}

/** Reads a list in a process of its own, which does not delay the measured requests. */
async function readList(url) {
  const curl = ['curl', '--silent', '--fail', '--output', '/dev/null']
  const args = ['-n', '19', ...curl, '--header', `Authorization: Bearer ${ADMIN_KEY}`, url]
  const [code] = await once(spawn('nice', args), 'exit')
  if (code !== 0) throw new Error(`curl ${url} ended with ${code}.`)
}

/** Returns a function that measures the longest time of requests, one after another, until a promise is settled. */
function longestWait(url, token) {
  return async (until) => {
    const done = until.then(() => true)
    for (let longest = 0; ;) {
      const begun = performance.now()
      await ask(url, { token })
      longest = Math.max(longest, performance.now() - begun)
      if (await Promise.race([done, wait(1, false)])) return longest
    }
  }
}

/** The start times of servers of the store. */
async function timeStarts(redis) {
  const times = []
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each server sweeps the store.
    await redis.command('DEL', 'seo-sandbox:swept')
    const begun = performance.now()
    const server = await startCommandLine(['--store', redis.url, '--quiet'])
    times.push(performance.now() - begun)
    await server.stop()
  }
  return times
}

function invite({ url }, at) {
  const body = { name: `Partner ${at}`, expires: 'P30D' }
  return ask(`${url}/_sandbox/partners`, { token: ADMIN_KEY, method: 'POST', body })
}

async function usedMemory(redis) {
  return figureOf(await redis.command('INFO', 'memory'), 'used_memory')
}

/** The bytes of the append-only file. */
async function sizeOfFile(redis) {
  return figureOf(await redis.command('INFO', 'persistence'), 'aof_current_size')
}

function figureOf(info, name) {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)[1])
}

/** Calls `act` while clients are connected that have asked once. */
async function withConnections({ port, caFile }, count, act) {
  const ca = await readFile(caFile)
  const sockets = []
  try {
    await atOnce(count, async () => {
      const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] })
      sockets.push(socket)
      await once(socket, 'secureConnect')
      socket.write('GET /_sandbox/ready HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await once(socket, 'data')
    })
    return await act()
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}
