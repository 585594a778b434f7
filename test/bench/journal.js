/**
 * What it costs that every request is taken down, in the journal and in the session. That is smaller than what
 * two processes of the same code differ by, and than what else the machine does within a second: so one server
 * takes requests down and not in turn, many times a second, and its processor time counts. Of the garbage that
 * is left nothing shows so; what the collector takes is measured by itself, with all requests taken down and
 * with none.
 */
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { atMost, median, medianRatio } from './support/report.js'

const REQUESTS = [
  { path: '/me' },
  { path: '/projects/101' },
  { path: '/projects' },
  { path: '/projects/101/reports/3/content' },
  // Its headers are others with every answer.
  { path: '/me', token: 'sandbox-agency', label: '/me, counted' },
]

/** More than can be asked. */
const SETTINGS = { rateLimit: { per_minute: 1e9, per_hour: 1e9 } }

/** How much more requests may cost. */
const BAR = 1.05

const title = 'The journal and the session, against nothing taken down'

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
    about: `in microseconds a request, medians of turns of ${processes} × ${seconds} s each over ${CONNECTIONS} connections, ${PINNING}; and what the collector takes of that more where all are taken down than where none is`,
    columns: ['', 'without', 'with', 'ratio', 'collector', 'both'],
    rows: [...rows, all],
    bars: [
      atMost(BAR, 'requests taken down, against nothing taken down', all.at(-1)),
      atMost(BAR, 'the dearest of them', Math.max(...rows.map((row) => row.at(-1)))),
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
  // Before any other, so that none is of a server that has only begun.
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
