/**
 * The cost of reviewing every request, against that of recording it in the journal and in the session. Each is too
 * small to be seen between two processes, and is measured in one server that does it in every other turn, as in
 * `journal.js`.
 */
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { atMost, median } from './support/report.js'

const PATHS = [
  '/me',
  '/projects',
  '/projects/101',
  '/projects/101/reports',
  '/projects/101/reports/3/content',
]

/** Limits that cannot be reached. */
const SETTINGS = { rateLimit: { per_minute: 1e9, per_hour: 1e9 } }

/** The highest allowed ratio; after few turns, half a microsecond more or less is noise. */
const BAR = 1
const SHORT_BAR = 3

const title = 'Reviewing a request, against recording it'

export async function measure({ isShort }) {
  const skipped = whyNoLoad()
  if (skipped) return { title, skipped }
  const [processes, seconds] = isShort ? [1, 2] : [4, 4]
  const costs = { 'journal-in-turn': PATHS.map(() => []), 'review-in-turn': PATHS.map(() => []) }
  for (let count = 0; count < processes; count += 1) {
    for (const [kind, ofPaths] of Object.entries(costs)) {
      const server = await startServed(kind, SETTINGS)
      for (const [index, path] of PATHS.entries())
        ofPaths[index].push(...(await costsOf(server, path, seconds)))
      await server.stop()
    }
  }
  const { 'journal-in-turn': recording, 'review-in-turn': reviewing } = costs
  const rows = PATHS.map((path, index) => toRow(path, recording[index], reviewing[index]))
  const all = toRow('all of them', recording.flat(), reviewing.flat())
  return {
    title,
    about: `in microseconds of the processor per request, medians of turns of ${processes} × ${seconds} s each over ${CONNECTIONS} connections, ${PINNING}`,
    columns: ['', 'recording', 'reviewing', 'ratio'],
    rows: [...rows, all],
    bars: [
      atMost(isShort ? SHORT_BAR : BAR, 'reviewed requests, against recorded ones', all.at(-1)),
    ],
  }
}

/** What the work costs for each request, turn by turn. */
async function costsOf(server, path, seconds) {
  const url = `http://127.0.0.1:${server.port}/api/v1${path}`
  const headers = { Authorization: 'Bearer sandbox-unlimited' }
  // A warm-up.
  await server.record('always')
  await load(url, { seconds: 2, headers })
  await server.record('in turn')
  await load(url, { seconds, headers })
  const { without, own } = await server.turns()
  return own.map((value, turn) => value - without[turn])
}

function toRow(label, recording, reviewing) {
  const [one, other] = [median(recording), median(reviewing)]
  return [label, one, other, other / one]
}
