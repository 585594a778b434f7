/**
 * A host of partners with little memory: the HAProxy of docs/hosting, two servers with `--max-old-space-size=256`, and
 * Redis with 256 MB. Six partners work within their limits; the hostile ones, four unless told otherwise, do everything
 * that costs a host most, each attack from an address of its own, for so many seconds. No process may end, each request of
 * the six must get a 200, Redis must stay within its memory and each world within its bytes, and once all partners are
 * revoked, Redis must be as before.
 *
 *   node test/soak/host.js --seconds 600 --hostile 10
 *   node test/soak/host.js --seconds 20 --hostile 1 --only 'slow bodies'
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { json } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startCommandLine } from '../bench/support/processes.js'
import { percentile } from '../bench/support/report.js'
import { startHostingHaproxy } from '../store/support/hosting-haproxy.js'
import { startRedis } from '../store/support/redis.js'
import { createSender } from './support/create-sender.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    hostile: { type: 'string', default: '4' },
    only: { type: 'string' },
  },
})
const [seconds, hostile] = [Number(values.seconds), Number(values.hostile)]

const ADMIN_KEY = 'the-admin-key-of-a-soak'
const MAXIMUM_MB = 256
/** The heap of a server, and three times as much outside of it: unpacked bodies, and data that clients have not read yet. */
const MOST_SERVER_MB = 4 * MAXIMUM_MB
const QUIET = 6
const PARTNERS = QUIET + hostile
/** Maximum p99 of the partners within their limits, beside one hostile partner and beside several, in milliseconds. */
const MOST_MS = 300
const MOST_MS_AMONG_MANY = 1000
/** Pause between requests of a partner within its limits, in milliseconds. */
const PAUSE_MS = 50
/** Limit of a world, so that ten worlds together have less than four fifths of Redis. */
const LIMITS = 'bytes=20000000'
/** Maximum memory that Redis keeps when all are revoked, such as for the addresses of clients, in megabytes. */
const LEFT_MB = 3
/** Redis removes most of a world at once, and a server the rest within a minute. */
const GONE_WITHIN_MS = 120_000
const SHOWN_WRONG = 10
const ATTACK_PROCESS = fileURLToPath(new URL('support/attack-process.js', import.meta.url))
const MEGABYTE = 2 ** 20

const redis = await startRedis({
  config: { appendfsync: 'everysec', maxmemory: `${MAXIMUM_MB}mb` },
})
const args = ['--store', redis.url, '--trust-proxy', '1', '--quiet', '--limits', LIMITS]
const env = { SEO_SANDBOX_ADMIN_KEY: ADMIN_KEY, NODE_OPTIONS: `--max-old-space-size=${MAXIMUM_MB}` }
const servers = [await startCommandLine(args, { env }), await startCommandLine(args, { env })]
const haproxy = await startHostingHaproxy(servers.map(({ port }) => port))
const ca = await readFile(haproxy.caFile)
const wrong = []
const waitsMs = []
const ending = new AbortController()
const { signal } = ending
let [mostMb, mostServerMb, answered] = [0, 0, 0]

const operator = createSender({ url: haproxy.url, ca, address: 1 })

async function control(path, { method = 'GET', body } = {}) {
  const sent = { token: ADMIN_KEY, method, ...(body && { body: JSON.stringify(body) }) }
  const { status, text } = await operator.send(`/_sandbox${path}`, sent)
  if (status >= 300 || status === 0) throw new Error(`${method} ${path} gives ${status}: ${text}`)
  return text && JSON.parse(text)
}

async function usedMb() {
  const info = await redis.command('INFO', 'memory')
  return Number(/^used_memory:(\d+)/m.exec(info)[1]) / MEGABYTE
}

/** A partner within its limits: every request gets a 200. */
async function workQuietly({ tokens }) {
  const token = tokens['sandbox-unlimited']
  const paths = ['/me', '/projects', '/projects/101/reports/latest', '/projects/101/reports']
  for (let count = 0; !signal.aborted; count += 1) {
    const path = `/api/v1${paths[count % paths.length]}`
    const startMs = performance.now()
    const { status, text } = await operator.send(path, { token })
    waitsMs.push(performance.now() - startMs)
    if (status === 200) answered += 1
    else wrong.push(`${path} of a partner within its limits gives ${status}: ${text.slice(0, 200)}`)
    await wait(PAUSE_MS)
  }
}

/** Runs the hostile partners in a process of their own, which has the processor only while nobody else wants it. */
async function attack(partners) {
  const { url, caFile } = haproxy
  const load = JSON.stringify({ url, caFile, partners, seconds, only: values.only })
  const nice = ['-n', '19', process.execPath, ATTACK_PROCESS, load]
  const { stdout } = spawn('nice', nice, { stdio: ['ignore', 'pipe', 'inherit'] })
  return json(stdout)
}

async function watch() {
  while (!signal.aborted) {
    mostMb = Math.max(mostMb, await usedMb())
    for (const server of servers) {
      mostServerMb = Math.max(mostServerMb, (await server.memory()) / MEGABYTE)
    }
    await wait(1000)
  }
}

try {
  const before = await usedMb()
  const partners = []
  for (let at = 1; at <= PARTNERS; at += 1) {
    const body = { name: `Partner ${at}`, demo: at > QUIET }
    partners.push(await control('/partners', { method: 'POST', body }))
  }
  const work = [watch(), ...partners.slice(0, QUIET).map(workQuietly)]
  const attacks = await attack(partners.slice(QUIET))
  ending.abort()
  await Promise.all(work)

  wrong.push(...attacks.wrong)
  const p99Ms = percentile(waitsMs, 99)
  if (p99Ms > (hostile > 1 ? MOST_MS_AMONG_MANY : MOST_MS)) {
    wrong.push(`The 99th percentile of the partners within their limits is ${p99Ms.toFixed(0)} ms.`)
  }
  if (mostServerMb > MOST_SERVER_MB) wrong.push(`A server took ${mostServerMb.toFixed(0)} MB.`)
  if (mostMb > MAXIMUM_MB) wrong.push(`Redis had ${mostMb.toFixed(1)} MB.`)
  for (const { name, bytes, maximum_bytes: most } of await control('/partners')) {
    if (bytes > most) wrong.push(`${name} has ${bytes} bytes of ${most}.`)
  }
  for (const { url } of servers) {
    const { status, problems } = await (await fetch(`${url}/_sandbox/health`)).json()
    if (status !== 'ok') wrong.push(`A server is ${status}: ${problems.join(' ')}`)
  }
  for (const { id } of partners) await control(`/partners/${id}`, { method: 'DELETE' })
  const endMs = performance.now() + GONE_WITHIN_MS
  let [left, keys] = [Infinity, []]
  while (performance.now() < endMs && (left > before + LEFT_MB || keys.length > 0)) {
    await wait(1000)
    left = await usedMb()
    keys = await redis.command('KEYS', 'seo-sandbox:{w*')
  }
  if (left > before + LEFT_MB)
    wrong.push(`Redis had ${before.toFixed(1)} MB, and keeps ${left.toFixed(1)} MB.`)
  if (keys.length > 0)
    wrong.push(
      `Redis keeps ${keys.length} keys of revoked partners: ${keys.slice(0, 5).join(', ')}`,
    )

  process.stdout.write(
    `host: ${seconds} s, ${answered} requests of ${QUIET} partners answered beside ${hostile} hostile ones, the median after ` +
      `${percentile(waitsMs, 50).toFixed(1)} and the 99th percentile after ${p99Ms.toFixed(0)} ms; Redis at most ${mostMb.toFixed(1)} of ${MAXIMUM_MB} MB, ` +
      `${before.toFixed(1)} MB before and ${left.toFixed(1)} MB after; a server at most ${mostServerMb.toFixed(0)} MB of memory\n`,
  )
  for (const [name, counted] of Object.entries(attacks.statuses)) {
    const texts = Object.entries(counted).map(([status, count]) => `${status} ${count} times`)
    process.stdout.write(`  ${name}: ${texts.join(', ')}\n`)
  }
  for (const sentence of wrong.slice(0, SHOWN_WRONG)) process.stdout.write(`  ${sentence}\n`)
  if (wrong.length > 0) process.exitCode = 1
} finally {
  operator.end()
  for (const each of [haproxy, ...servers, redis]) await each.stop()
}
