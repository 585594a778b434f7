/**
 * Replicas over a store: the processor time of a request against that of a server without one, the calls of replicas to
 * Redis, the memory of worlds there, and the time that a world takes to load.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHaproxy, whyNoHaproxy } from '../store/support/haproxy.js'
import { startRedis, whyNoRedis } from '../store/support/redis.js'
import { ask } from './support/ask.js'
import { atOnce } from './support/at-once.js'
import { CONNECTIONS, load, whyNoLoad, writeScript } from './support/load.js'
import { sendSteadily } from './support/open-loop.js'
import { processorTimeOf, startCommandLine } from './support/processes.js'
import {
  atMost,
  interleave,
  median,
  medianRatio,
  noMoreThan,
  percentile,
  within,
} from './support/report.js'

const TOKEN = 'sandbox-unlimited'
const PATHS = ['/me', '/projects', '/projects/101/reports/3/content'].map(
  (path) => `/api/v1${path}`,
)

const REPLICAS = 3
/** Number of worlds that requests rotate over. */
const WORLDS = 50
const SECONDS = 2
const PER_SECOND = 1000

/**
 * Pause of clients before each of their requests, in milliseconds. Without a pause, a server gets as many requests as it
 * can answer, and the more it gets, the more of them it reads at a time: the processor time of a request can be compared
 * only at about the same rate.
 */
const PAUSE_MS = 8

const FULL = { rounds: 15, steadySeconds: 30, worlds: 10_000, usedWorlds: 100, accesses: 30_000 }
const SHORT = { rounds: 2, steadySeconds: 2, worlds: 300, usedWorlds: 5, accesses: 1000 }

/** Number of earlier requests of a world that is measured. */
const REQUESTS_OF_WORLD = 1000

/** So little memory that a replica forgets most of the worlds that it has loaded. */
const LITTLE_MEMORY = { NODE_OPTIONS: '--max-old-space-size=256' }

export async function measure({ isShort }) {
  const extent = isShort ? SHORT : FULL
  const skipped = whyNoRedis() ?? whyNoHaproxy() ?? whyNoLoad()
  if (skipped) return { title: 'Replicas over a store', skipped }
  return [
    ...(await withReplicas({}, (cluster) => measureRequests(cluster, extent))),
    await withReplicas(LITTLE_MEMORY, (cluster) => measureWorlds(cluster, extent)),
  ]
}

/** Calls `run` with replicas over a Redis of their own. */
async function withReplicas(env, run) {
  const redis = await startRedis({ config: { appendfsync: 'everysec' } })
  const replicas = []
  const startReplica = async () => {
    const replica = await startCommandLine(
      ['--store', redis.url, '--quiet', '--limits', 'requests=1000000'],
      { env },
    )
    replicas.push(replica)
    return replica
  }
  try {
    for (let count = 0; count < REPLICAS; count += 1) await startReplica()
    return await run({ redis, replicas: replicas.slice(), startReplica })
  } finally {
    for (const each of [...replicas, redis]) await each.stop()
  }
}

/* Requests. */

async function measureRequests({ redis, replicas, startReplica }, { rounds, steadySeconds }) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-bench-'))
  const alone = await startCommandLine(['--quiet'])
  // Each side has servers of its own, which have only its worlds in their memory.
  const one = [await startReplica()]
  const byWorld = [await startReplica(), await startReplica(), await startReplica()]
  const sides = [
    await openSide('without a store', { servers: [alone], folder }),
    await openSide('one replica', { servers: one, folder, redis }),
    await openSide('three, by world', { servers: byWorld, balance: 'world', folder, redis }),
    await openSide('three, in turn', { servers: replicas, folder, redis }),
  ]
  const crowd = await openSide('three, in turn, one world', {
    servers: replicas,
    worlds: 1,
    folder,
    redis,
  })
  try {
    return [
      await compareCosts(sides, rounds),
      await measureThroughput([...sides, crowd], rounds),
      await measureWaits(sides, steadySeconds),
    ]
  } finally {
    for (const { haproxy } of [...sides, crowd]) await haproxy.stop()
    await alone.stop()
    await rm(folder, { recursive: true })
  }
}

/** Servers behind HAProxy, with worlds of their own and the requests to them. */
async function openSide(name, { servers, worlds: count = WORLDS, balance, folder, redis }) {
  const haproxy = await startHaproxy(
    servers.map(({ port }) => port),
    balance,
  )
  const worlds = await createWorlds(servers, count)
  // The same number of requests for each path and world.
  const requests = PATHS.flatMap((path) => worlds.map(({ token }) => ({ path, token })))
  const fileName = name.replaceAll(/\W+/g, '-')
  const script = join(folder, `${fileName}.lua`)
  await writeScript(script, requests)
  const pausing = join(folder, `${fileName}-pausing.lua`)
  await writeScript(pausing, requests, { pauseMs: PAUSE_MS })
  return { name, haproxy, servers, worlds, requests, script, pausing, redis }
}

async function createWorlds(servers, count) {
  const worlds = []
  for (let at = 0; at < count; at += 1) worlds.push(await createWorld(servers[at % servers.length]))
  return worlds
}

async function createWorld({ url }) {
  const { id, tokens } = await ask(`${url}/_sandbox/worlds`, { method: 'POST' })
  return { id, token: tokens[TOKEN] }
}

const FEW_ROUNDS = 5

/**
 * The highest costs of a request, relative to a server without a store. With the same code, one run differs from another by a
 * sixth.
 */
const COSTS = { 'one replica': 2.5, 'three, by world': 3, 'three, in turn': 4 }

/** The highest 99th percentile of the waits at three replicas, relative to a server without a store. */
const WAITS = 2.5

async function compareCosts(sides, rounds) {
  const results = await interleave(sides, { rounds, warmUp: Math.ceil(rounds / 2) }, (side) =>
    measureSide(side, side.pausing),
  )
  const rows = toRows(sides, results)
  // A few rounds measure servers whose code is hardly compiled.
  const bars = rows
    .filter(([name]) => name in COSTS && rounds > FEW_ROUNDS)
    .map(([name, , , ratio]) =>
      atMost(COSTS[name], `processor time, ${name}, against no store`, ratio),
    )
  return {
    title: 'The processor time of a request over a store',
    about: `${extentOf(rounds)}, each of which pauses for ${PAUSE_MS} ms before a request; requests to ${WORLDS} worlds in turn; processor time of all replicas, of Redis and of HAProxy in microseconds per request`,
    columns: COLUMNS,
    rows,
    bars,
  }
}

async function measureThroughput(sides, rounds) {
  const results = await interleave(sides, { rounds, warmUp: 2 }, (side) =>
    measureSide(side, side.script),
  )
  const rows = toRows(sides, results)
  const crowd = sides.at(-1)
  const returned =
    median(results.at(-1).map(({ output }) => output)) /
    (await bytesOfEntry(crowd.redis, crowd.worlds[0])) /
    REPLICAS
  const callsOf = (at) => rows.at(at).at(-1)
  return {
    title: 'As many requests over a store as are answered',
    about: `the same without a pause, and requests to one world`,
    columns: COLUMNS,
    rows,
    bars: [
      // A snapshot of a world is one more, for a thousand requests.
      noMoreThan(1.01, 'calls of Redis a request, one replica', callsOf(1)),
      noMoreThan(1.01, 'calls of Redis a request, three, in turn', callsOf(3)),
      atMost(0.2, `calls of Redis a request, ${crowd.name}`, callsOf(-1)),
      atMost(1.1, 'bytes of Redis by those of an entry, for each entry and replica', returned),
    ],
  }
}

const COLUMNS = ['', 'requests /s', 'cpu', 'cpu ratio', 'Redis cpu', 'HAProxy cpu', 'calls']

function extentOf(rounds) {
  return `medians of ${rounds} rounds of ${SECONDS} s over ${CONNECTIONS} connections to HAProxy`
}

function toRows(sides, results) {
  const cpu = (round) => round.cpu
  return sides.map(({ name, redis }, at) => [
    name,
    Math.round(median(results[at].map(({ perSecond }) => perSecond))),
    median(results[at].map(cpu)),
    medianRatio(results[at].map(cpu), results[0].map(cpu)),
    redis ? median(results[at].map(({ redisCpu }) => redisCpu)) : '',
    median(results[at].map(({ haproxyCpu }) => haproxyCpu)),
    redis ? median(results[at].map(({ calls }) => calls)) : '',
  ])
}

async function measureSide({ haproxy, servers, redis }, script) {
  const [cpu, calls] = [await processorTime(servers), redis ? await countCalls(redis) : 0]
  const output = redis ? await outputOf(redis) : 0
  const pids = [haproxy.pid, ...(redis ? [redis.pid] : [])]
  const before = await Promise.all(pids.map(processorTimeOf))
  const { requests, perSecond } = await load(haproxy.url, { seconds: SECONDS, script })
  const after = await Promise.all(pids.map(processorTimeOf))
  const [haproxyCpu, redisCpu = 0] = after.map((time, at) => (time - before[at]) / requests)
  return {
    perSecond,
    haproxyCpu,
    redisCpu,
    cpu: ((await processorTime(servers)) - cpu) / requests,
    calls: redis ? ((await countCalls(redis)) - calls) / requests : 0,
    output: redis ? ((await outputOf(redis)) - output) / requests : 0,
  }
}

async function processorTime(servers) {
  const times = await Promise.all(servers.map((server) => server.processorTime()))
  return times.reduce((sum, time) => sum + time, 0)
}

/** Number of function calls that Redis has received. */
async function countCalls(redis) {
  const info = await redis.command('INFO', 'commandstats')
  const counts = [...info.matchAll(/^cmdstat_fcall\w*:calls=(\d+)/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Number of bytes that Redis has sent. */
async function outputOf(redis) {
  const info = await redis.command('INFO', 'stats')
  return Number(/^total_net_output_bytes:(\d+)/m.exec(info)[1])
}

/** The bytes of an entry in a reply of Redis, by the last entries of a log. */
async function bytesOfEntry(redis, { id }) {
  const entries = await redis.command('XREVRANGE', `seo-sandbox:{${id}}:log`, '+', '-', 'COUNT', 99)
  const sizes = entries.map(([, [, nonce, , time, , content]]) =>
    [nonce, time, content].reduce((sum, text) => sum + `$${text.length}\r\n${text}\r\n`.length, 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / sizes.length
}

/** The waits of clients that send their requests regardless of earlier ones. */
async function measureWaits(sides, seconds) {
  const rows = []
  const bars = []
  for (const { name, haproxy, requests } of sides) {
    const targets = requests.map(({ path, token }) => ({ url: haproxy.url + path, token }))
    // Until the servers of the side have compiled their code, and journals are as long as they get.
    await sendSteadily(targets, { perSecond: 2.5 * PER_SECOND, seconds: Math.ceil(seconds / 2) })
    const { times, refused } = await sendSteadily(targets, { perSecond: PER_SECOND, seconds })
    const p99 = percentile(times, 99)
    rows.push([name, percentile(times, 50), p99, percentile(times, 100), refused])
    if (name === 'three, in turn') {
      bars.push(atMost(WAITS, `p99, ${name}, against no store`, p99 / rows[0][2]))
    }
  }
  return {
    title: `Requests over a store, ${PER_SECOND.toLocaleString('en')} a second`,
    about: `milliseconds from when a request was due to its response, through HAProxy, over ${WORLDS} worlds, ${seconds} s`,
    columns: ['', 'p50', 'p99', 'longest', 'refused'],
    rows,
    bars,
  }
}

/* Worlds. */

async function measureWorlds({ redis, replicas, startReplica }, { worlds: count, ...extent }) {
  const { usedWorlds, accesses } = extent
  const empty = await usedMemory(redis)
  const worlds = []
  await atOnce(count, async (at) => {
    worlds.push(await createWorld(replicas[at % REPLICAS]))
  })
  const unused = (await usedMemory(redis)) - empty
  const used = worlds.slice(0, usedWorlds)
  await atOnce(usedWorlds * REQUESTS_OF_WORLD, async (at) => {
    const { url } = replicas[at % REPLICAS]
    await ask(url + PATHS[at % PATHS.length], { token: used[at % usedWorlds].token })
  })
  const grown = (await usedMemory(redis)) - empty - unused
  const fresh = await startReplica()
  const loads = await timeLoads(fresh, worlds.slice(usedWorlds, usedWorlds * 2), used)
  const wrong = await countWrong(replicas, worlds, accesses)
  const bars = [
    noMoreThan(5, 'Redis memory of a world before its first use, kB', unused / count / 1000),
    noMoreThan(
      400,
      `Redis memory of a world with ${REQUESTS_OF_WORLD} requests, kB`,
      (grown / usedWorlds + unused / count) / 1000,
    ),
    within(
      20 + (25 * REQUESTS_OF_WORLD) / 1000,
      `first request to a world with ${REQUESTS_OF_WORLD} entries, ms`,
      loads.used,
    ),
    within(20, 'first request to a world without entries, ms', loads.unused),
    noMoreThan(0, `wrong responses of ${accesses} to random worlds`, wrong),
  ]
  return {
    title: 'Worlds in a store',
    about: `${count.toLocaleString('en')} worlds of the default fixture, ${usedWorlds} of them with ${REQUESTS_OF_WORLD} requests; times are medians of a replica that has loaded none of them, random access is to replicas with 256 MB of heap`,
    columns: ['', 'measured', 'target'],
    rows: bars.map(({ name, value, bar }) => [name, value, bar]),
    bars,
  }
}

async function usedMemory(redis) {
  const info = await redis.command('INFO', 'memory')
  return Number(/^used_memory:(\d+)/m.exec(info)[1])
}

/** Milliseconds of the first request to worlds with and without entries, on a replica that has answered others. */
async function timeLoads(replica, unused, used) {
  const times = { unused: [], used: [] }
  for (const at of unused.keys()) {
    times.unused.push(await timeRequest(replica, unused[at]))
    times.used.push(await timeRequest(replica, used[at]))
  }
  return { unused: median(times.unused), used: median(times.used) }
}

async function timeRequest({ url }, { token }) {
  const start = performance.now()
  await ask(url + PATHS[0], { token })
  return performance.now() - start
}

/** Changes and reads worlds at random on random replicas; returns the number of reads that did not show the last change. */
async function countWrong(replicas, worlds, accesses) {
  const names = new Map()
  const busy = new Set()
  let wrong = 0
  await atOnce(accesses, async (count) => {
    const world = drawFree(worlds, busy)
    busy.add(world)
    const { url } = pick(replicas)
    const name = names.get(world)
    if (name === undefined || Math.random() < 0.3) {
      const next = `${world.id}: ${count}`
      const target = `${url}/_sandbox/records/projects/101?world=${world.id}`
      await ask(target, { method: 'PATCH', body: { name: next } })
      names.set(world, next)
    }
    const { data } = await ask(`${pick(replicas).url}/api/v1/projects/101`, { token: world.token })
    if (data.name !== names.get(world)) wrong += 1
    busy.delete(world)
  })
  return wrong
}

function drawFree(worlds, busy) {
  const world = pick(worlds)
  return busy.has(world) ? drawFree(worlds, busy) : world
}

function pick(items) {
  return items[Math.floor(Math.random() * items.length)]
}
