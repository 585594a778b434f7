/**
 * The cost of reviewing every request, against that of recording it in the journal and in the session. Each is too small to
 * be seen between two processes, and is measured in one server that does the work in every other turn, as in `journal.js`.
 */
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { atMost, interleave, median, medianRatio } from './support/report.js'
import { REQUESTS, WORLD } from './support/world.js'

const PATHS = [
  '/me',
  '/projects',
  '/projects/101',
  '/projects/101/reports',
  '/projects/101/reports/3/content',
]
const UNLIMITED = { token: 'sandbox-unlimited', isError: false }
/** Requests that all get a 429; no other row includes them. */
const REFUSED = { path: '/projects/101', token: 'sandbox-hour-exhausted', isError: true }
/** Requests of each row. */
const LOADS = [...PATHS.map((path) => ({ path, ...UNLIMITED })), REFUSED]

/** Limits that cannot be reached. */
const SETTINGS = { rateLimit: { per_minute: 1e9, per_hour: 1e9 } }

/** The highest allowed ratio; after a few turns, half a microsecond more or less is noise. */
const BAR = 1
const SHORT_BAR = 3

const title = 'Reviewing a request, against recording it'

/**
 * The highest allowed ratio for a server that notices the ends of responses, such as aborts: its time per request, against
 * that of one that does not.
 */
const NOTICING_BAR = 1.03
const NOTICING_TITLE = 'Noticing how responses end, against not'

export async function measure(options) {
  const skipped = whyNoLoad()
  if (skipped) return [title, NOTICING_TITLE].map((each) => ({ title: each, skipped }))
  return [await measureReview(options), await measureNoticing(options)]
}

/** Pairs of servers under the same load, in turns of half a second: two processes with the same code differ too. */
async function measureNoticing({ isShort }) {
  const [pairs, rounds] = isShort ? [1, 5] : [6, 9]
  const seconds = 0.5
  const results = REQUESTS.map(() => [[], []])
  for (let count = 0; count < pairs; count += 1) {
    const servers = [await startServed('not-noticing', WORLD), await startServed('noticing', WORLD)]
    for (const [index, { target, token, isError }] of REQUESTS.entries()) {
      const headers = { Authorization: `Bearer ${token}` }
      const sides = await interleave(servers, { rounds }, async ({ port }) => {
        const url = `http://127.0.0.1:${port}${target}`
        // A token with one request an hour gets 429 from its second request.
        await fetch(url, { headers })
        return (await load(url, { seconds, headers, isError })).perSecond
      })
      for (const [side, perSecond] of sides.entries()) results[index][side].push(...perSecond)
    }
    for (const server of servers) await server.stop()
  }
  const rows = REQUESTS.map(({ name }, index) => {
    const sides = results[index]
    return [name, ...sides.map((each) => Math.round(median(each))), medianRatio(...sides)]
  })
  const all = ['all of them', '', '', median(rows.map((row) => row.at(-1)))]
  return {
    title: NOTICING_TITLE,
    about: `requests per second, medians of ${pairs} × ${rounds} rounds of ${seconds} seconds over ${CONNECTIONS} connections, ${PINNING}; the ratio is that of times`,
    columns: ['', 'not noticing /s', 'noticing /s', 'ratio'],
    rows: [...rows, all],
    bars: [atMost(NOTICING_BAR, 'requests whose end is noticed, against others', all.at(-1))],
  }
}

async function measureReview({ isShort }) {
  const [processes, seconds] = isShort ? [1, 2] : [4, 4]
  const costs = { 'journal-in-turn': LOADS.map(() => []), 'review-in-turn': LOADS.map(() => []) }
  for (let count = 0; count < processes; count += 1) {
    for (const [kind, ofPaths] of Object.entries(costs)) {
      const server = await startServed(kind, SETTINGS)
      for (const [index, sent] of LOADS.entries())
        ofPaths[index].push(...(await costsOf(server, sent, seconds)))
      await server.stop()
    }
  }
  const { 'journal-in-turn': recording, 'review-in-turn': reviewing } = costs
  const rows = PATHS.map((path, index) => toRow(path, recording[index], reviewing[index]))
  const count = PATHS.length
  const refused = toRow('a 429', recording[count], reviewing[count])
  const all = toRow(
    'all with a 200',
    ...[recording, reviewing].map((each) => each.slice(0, count).flat()),
  )
  return {
    title,
    about: `in microseconds of the processor per request, medians of turns of ${processes} × ${seconds} s each over ${CONNECTIONS} connections, ${PINNING}`,
    columns: ['', 'recording', 'reviewing', 'ratio'],
    rows: [...rows, all, refused],
    bars: [
      atMost(isShort ? SHORT_BAR : BAR, 'reviewed requests, against recorded ones', all.at(-1)),
    ],
  }
}

/** The cost of the work for each request, turn by turn. */
async function costsOf(server, { path, token, isError }, seconds) {
  const url = `http://127.0.0.1:${server.port}/api/v1${path}`
  const headers = { Authorization: `Bearer ${token}` }
  // A warm-up.
  await server.record('always')
  await load(url, { seconds: 2, headers, isError })
  await server.record('in turn')
  await load(url, { seconds, headers, isError })
  const { without, own } = await server.turns()
  return own.map((value, turn) => value - without[turn])
}

function toRow(label, recording, reviewing) {
  const [one, other] = [median(recording), median(reviewing)]
  return [label, one, other, other / one]
}
