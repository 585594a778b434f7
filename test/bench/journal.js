/**
 * The cost of recording every request in the journal and in the session. It is smaller than the difference
 * between two processes of the same code, and than the noise of the machine within a second. So one server
 * alternates between recording and not recording many times a second, and its processor time is compared.
 * This hides the cost of garbage: the time of the collector is measured separately, with all requests
 * recorded and with none.
 */
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { atMost, median, medianRatio } from './support/report.js'

const REQUESTS = [
  { path: '/me' },
  { path: '/projects/101' },
  { path: '/projects' },
  { path: '/projects/101/reports/3/content' },
  // Headers of this response differ each time.
  { path: '/me', token: 'sandbox-agency', label: '/me, counted' },
]

/** Limits that cannot be reached. */
const SETTINGS = { rateLimit: { per_minute: 1e9, per_hour: 1e9 } }

/** The highest allowed ratio. */
const BAR = 1.05

const title = 'The journal and the session, against no recording'

export async function measure({ isShort }) {
  const skipped = whyNoLoad()
  if (skipped) return { title, skipped }
  const [processes, seconds] = isShort ? [1, 2] : [4, 4]
  const rounds = REQUESTS.map(() => [])
  for (let count = 0; count < processes; count += 1) {
    const server = await startServed('journal-in-turn', SETTINGS)
    for (const [index, request] of REQUESTS.entries()) {
      rounds[index].push(await measureRequest(server, request, seconds))
    }
    await server.stop()
  }
  const rows = REQUESTS.map(({ path, label = path }, index) => toRow(label, rounds[index]))
  const all = toRow('all of them', rounds.flat())
  return {
    title,
    about: `in microseconds per request, medians of turns of ${processes} × ${seconds} s each over ${CONNECTIONS} connections, ${PINNING}; and the additional time of the garbage collector with all requests recorded, compared with none`,
    columns: ['', 'without', 'with', 'ratio', 'collector', 'both'],
    rows: [...rows, all],
    bars: [
      atMost(BAR, 'recorded requests, against no recording', all.at(-1)),
      atMost(BAR, 'the most expensive of them', Math.max(...rows.map((row) => row.at(-1)))),
    ],
  }
}

async function measureRequest(server, { path, token = 'sandbox-unlimited' }, seconds) {
  const url = `http://127.0.0.1:${server.port}/api/v1${path}`
  const headers = { Authorization: `Bearer ${token}` }
  const figures = async (mode, length) => {
    await server.record(mode)
    await load(url, { seconds: length, headers })
    return server.turns()
  }
  // A warm-up.
  await figures('always', 2)
  const { without, own } = await figures('in turn', seconds)
  const { collector: less } = await figures('never', seconds / 2)
  const { collector: more } = await figures('always', seconds / 2)
  return { without, own, collector: more - less }
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function toRow(label, rounds) {
  const without = rounds.flatMap((round) => round.without)
  const own = rounds.flatMap((round) => round.own)
  const collector = mean(rounds.map((round) => round.collector))
  const ratio = medianRatio(own, without)
  return [
    label,
    median(without),
    median(own),
    ratio,
    collector,
    ratio + collector / median(without),
  ]
}
