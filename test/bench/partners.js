/**
 * Ten partners at work at once over three replicas. Partners within their limits must be answered as fast as on an idle
 * host while the others flood it, reset and break connections; and nobody may see anything of another. `test/soak/host.js`
 * has partners beside ones who ask for as much work as possible.
 */
import { startHaproxy, whyNoHaproxy } from '../store/support/haproxy.js'
import { startRedis, whyNoRedis } from '../store/support/redis.js'
import { ask } from './support/ask.js'
import { sendSteadily } from './support/open-loop.js'
import { startCommandLine } from './support/processes.js'
import { atMost, noMoreThan, percentile, within } from './support/report.js'

const ADMIN_KEY = 'the-admin-key-of-a-benchmark'
const REPLICAS = 3
const WHOLE_SECONDS = 30

/** Partners whose waits are measured. */
const QUIET = 6
const PER_SECOND_OF_QUIET = 20

/** The default limit of a world per second, and the rate of one flooding partner. */
const LIMIT = 100
const FLOOD = 10 * LIMIT

/** The paths that show the name of the project, before the part of the query that identifies the partner. */
const SHOWING = ['/projects?search=', '/projects/101']
const ENDPOINTS = ['/me', '/projects/101/reports', ...SHOWING]

/** Requests counted in the window of an hour, which does not end while this runs. */
const COUNTED = 30

export async function measure({ isShort }) {
  const title = 'Ten partners at work at once'
  const skipped = whyNoRedis() ?? whyNoHaproxy()
  if (skipped) return { title, skipped }
  const seconds = isShort ? 5 : WHOLE_SECONDS
  const redis = await startRedis({ config: { appendfsync: 'everysec' } })
  const running = [redis]
  try {
    // Partners who reset and command do so without a pause, which a host would bound.
    const limits = ['--limits', 'costly=100000']
    const args = ['--store', redis.url, '--quiet', '--admin-key', ADMIN_KEY, ...limits]
    for (let count = 0; count < REPLICAS; count += 1) running.push(await startCommandLine(args))
    const ports = running.slice(1).map(({ port }) => port)
    const haproxy = await startHaproxy(ports, 'world')
    running.push(haproxy)
    return { title, ...(await measurePartners(haproxy.url, seconds)) }
  } finally {
    for (const each of running.toReversed()) await each.stop()
  }
}

async function measurePartners(url, seconds) {
  const partners = []
  for (let at = 1; at <= 10; at += 1) partners.push(await invite(url, at))
  const quiet = partners.slice(0, QUIET)
  const [flooding, resetting, commanding, breaking] = partners.slice(QUIET)
  const targets = ENDPOINTS.flatMap((path) => quiet.map((partner) => targetOf(url, partner, path)))
  const send = (duration) =>
    sendSteadily(targets, { perSecond: QUIET * PER_SECOND_OF_QUIET, seconds: duration })

  await send(2)
  const idle = await send(seconds)
  const noise = new AbortController()
  const { signal } = noise
  const noises = [
    repeat(signal, () =>
      sendSteadily([targetOf(url, flooding, '/me')], { perSecond: FLOOD, seconds: 1 }),
    ),
    repeat(signal, () => reset(url, resetting)),
    repeat(signal, () => command(url, commanding)),
    repeat(signal, () => breakConnections(url, breaking)),
  ]
  const measured = Promise.all([send(seconds), countDown(url, quiet)])
  const ended = measured.finally(() => noise.abort())
  const [[busy], [floods]] = await Promise.all([ended, Promise.all(noises)])
  const seen = await Promise.all(quiet.map((partner) => countForeign(url, partner)))
  const foreign = seen.reduce((sum, count) => sum + count, 0)

  const toRow = (name, { times, refused, wrong }) => [
    name,
    percentile(times, 50),
    percentile(times, 99),
    percentile(times, 100),
    refused,
    wrong,
  ]
  const rows = [toRow('an idle host', idle), toRow('four others at work', busy)]
  const [[, idleMedian, idleP99], [, busyMedian, busyP99]] = rows
  // A few seconds in CI, beside other jobs, show only that nothing leaks and nothing ends.
  const bound = seconds < WHOLE_SECONDS ? within : atMost
  const refusedShare =
    floods.reduce((sum, { refused }) => sum + refused, 0) / (floods.length * FLOOD)
  return {
    about: `milliseconds from when a request was due to its response, through HAProxy with hashing on the world, of ${QUIET} partners with ${PER_SECOND_OF_QUIET} requests a second each, ${seconds} s; of the others one sends ${FLOOD.toLocaleString('en')} a second, of which ${Math.round(100 * refusedShare)} % are refused, one resets, one sends commands, one has connections broken`,
    columns: ['', 'p50', 'p99', 'longest', 'refused', 'wrong'],
    rows,
    bars: [
      bound(2, 'median of partners, others at work, against an idle host', busyMedian / idleMedian),
      bound(5, 'p99 of partners, others at work, against an idle host', busyP99 / idleP99),
      noMoreThan(
        0,
        'refused requests of partners within their limits',
        idle.refused + busy.refused,
      ),
      noMoreThan(0, 'responses with something of another partner', idle.wrong + busy.wrong),
      noMoreThan(0, 'clocks, windows and journals with something of another', foreign),
    ],
  }
}

/** A partner whose world has a day and a name that no other world has. */
async function invite(url, number) {
  const day = `2026-03-${String(number).padStart(2, '0')}`
  const body = { name: `Partner ${number}`, now: `${day}T12:00:00+00:00`, frozen: true }
  const invited = await ask(`${url}/_sandbox/partners`, { token: ADMIN_KEY, method: 'POST', body })
  const partner = { ...invited, day, mark: `only-of-partner-${number}` }
  const steer = { method: 'PATCH', body: { name: partner.mark } }
  await control(url, partner, '/records/projects/101', steer)
  return partner
}

/** The control API with the key of a partner. */
function control(url, { key, world }, path, message = {}) {
  return ask(`${url}/_sandbox${path}${path.includes('?') ? '&' : '?'}world=${world}`, {
    ...message,
    token: key,
  })
}

/** A request of a partner, which names the partner; responses that show the project have its name. */
function targetOf(url, { tokens, mark }, path) {
  return {
    url: `${url}/api/v1${path}${path.includes('?') ? '' : '?of='}${mark}`,
    token: tokens['sandbox-unlimited'],
    expected: SHOWING.includes(path) ? mark : undefined,
  }
}

async function repeat(signal, act) {
  const results = []
  while (!signal.aborted) results.push(await act())
  return results
}

async function reset(url, partner) {
  await control(url, partner, '/reset', { method: 'POST' })
  await sendSteadily(
    ENDPOINTS.map((path) => targetOf(url, partner, path)),
    { perSecond: 20, seconds: 0.5 },
  )
}

async function command(url, partner) {
  await control(url, partner, '/clock', { method: 'POST', body: { advance: 'P1D' } })
  const name = `Renamed ${Math.random()}`
  await control(url, partner, '/records/projects/101', { method: 'PATCH', body: { name } })
  await sendSteadily(
    ENDPOINTS.map((path) => targetOf(url, partner, path)),
    { perSecond: 20, seconds: 0.5 },
  )
}

async function breakConnections(url, partner) {
  const faults = [{ kind: 'reset', schedule: { every: 2 } }]
  await control(url, partner, '/faults', { method: 'PUT', body: faults })
  await sendSteadily(
    ENDPOINTS.map((path) => targetOf(url, partner, path)),
    { perSecond: 20, seconds: 0.5 },
  )
}

/** Sends requests of each partner that count. */
async function countDown(url, partners) {
  for (let count = 0; count < COUNTED; count += 1) {
    await Promise.all(
      partners.map(({ tokens, mark }) =>
        ask(`${url}/api/v1/me?of=${mark}`, { token: tokens['sandbox-agency'] }),
      ),
    )
  }
}

/** The number of signs of anybody else in a partner's world: in its clock, the windows of its tokens, its journal. */
async function countForeign(url, partner) {
  const { now } = await control(url, partner, '/clock')
  const { tokens } = await control(url, partner, '/rate-limits')
  const left = tokens.find(({ token }) => token === 'Sandbox agency').hour.remaining
  const requests = await control(url, partner, '/requests')
  const foreign = requests.filter(({ query }) => !query.includes(partner.mark))
  return Number(!now.startsWith(partner.day)) + Number(left !== 1000 - COUNTED) + foreign.length
}
