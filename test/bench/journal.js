/**
 * What it costs that every request is taken down, in the journal and in the session: two servers answer the
 * same requests over HTTP, one of them with nothing taken down. The processor time of each server counts,
 * over many short rounds of many processes: what is compared is smaller than what else the machine does, and
 * than what two processes of the same code differ by.
 */
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { atMost, interleave, median, medianRatio } from './support/report.js'

const PATHS = ['/me', '/projects/101', '/projects', '/projects/101/reports/3/content']
const HEADERS = { Authorization: 'Bearer sandbox-unlimited' }

const ROUND_SECONDS = 0.1
/** Before any of them, so that none is of a server that has only begun. */
const WARM_UP_SECONDS = 1

/** How much more requests may cost. */
const BAR = 1.05

const title = 'The journal and the session, against nothing taken down'

export async function measure({ isShort }) {
  const skipped = whyNoLoad()
  if (skipped) return { title, skipped }
  const extent = isShort ? { rounds: 5, warmUp: 1 } : { rounds: 10, warmUp: 2 }
  const pairs = isShort ? 3 : 12
  const ofPaths = PATHS.map(() => [[], []])
  for (let pair = 0; pair < pairs; pair += 1) {
    const servers = await startPair(pair)
    for (const server of servers) await askServer(server, PATHS[0], WARM_UP_SECONDS)
    for (const [index, path] of PATHS.entries()) {
      const [without, own] = await interleave(servers, extent, (server) => askServer(server, path))
      ofPaths[index][0].push(...without)
      ofPaths[index][1].push(...own)
    }
    for (const server of servers) await server.stop()
  }
  const all = [0, 1].map((side) => ofPaths.flatMap((ofPath) => ofPath[side]))
  const [without, own] = all
  return {
    title,
    about: `medians of ${pairs * extent.rounds} rounds a path of ${ROUND_SECONDS} s over ${CONNECTIONS} connections, of ${pairs} processes of each kind, ${PINNING}; in microseconds of processor time a request`,
    columns: ['', 'without', 'with', 'ratio'],
    rows: [...PATHS.map((path, index) => toRow(path, ofPaths[index])), toRow('all of them', all)],
    bars: [
      atMost(BAR, 'requests taken down, against nothing taken down', medianRatio(own, without)),
    ],
  }
}

/** One of each kind. They take turns to be started first, for that alone makes a difference. */
async function startPair(pair) {
  const kinds = ['without-journal', 'sandbox']
  const started = new Map()
  for (const kind of pair % 2 === 0 ? kinds : kinds.toReversed()) {
    started.set(kind, await startServed(kind))
  }
  return kinds.map((kind) => started.get(kind))
}

function toRow(label, [without, own]) {
  return [label, median(without), median(own), medianRatio(own, without)]
}

/** Microseconds of processor time a request. */
async function askServer(server, path, seconds = ROUND_SECONDS) {
  const url = `http://127.0.0.1:${server.port}/api/v1${path}`
  const before = await server.processorTime()
  const { requests } = await load(url, { seconds, headers: HEADERS })
  return ((await server.processorTime()) - before) / requests
}
