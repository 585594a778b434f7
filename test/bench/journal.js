/**
 * What it costs that every request is taken down, in the journal and in the session: two servers answer the
 * same requests over HTTP, one of them with nothing taken down. The processor time of each server counts,
 * over many short rounds, for what is compared is smaller than what else the machine does.
 */
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { atMost, interleave, median, medianRatio } from './support/report.js'

const PATHS = ['/me', '/projects/101', '/projects', '/projects/101/reports/3/content']
const HEADERS = { Authorization: 'Bearer sandbox-unlimited' }

const ROUND_SECONDS = 0.3
/** Before any of them, so that none is of a server that has only begun. */
const WARM_UP_SECONDS = 1

/** How much more requests may cost. */
const BAR = 1.05

const title = 'The journal and the session, against nothing taken down'

export async function measure({ isShort }) {
  const skipped = whyNoLoad()
  if (skipped) return { title, skipped }
  const [rounds, warmUp] = isShort ? [3, 1] : [30, 3]
  const servers = [await startServed('without-journal'), await startServed('sandbox')]
  for (const server of servers) await askServer(server, PATHS[0], WARM_UP_SECONDS)
  const rows = []
  const all = servers.map(() => Array.from({ length: rounds }, () => 0))
  for (const path of PATHS) {
    const results = await interleave(servers, { rounds, warmUp }, (server) =>
      askServer(server, path),
    )
    rows.push(toRow(path, results))
    for (const [side, times] of results.entries()) {
      for (const [round, time] of times.entries()) all[side][round] += time
    }
  }
  for (const server of servers) await server.stop()
  rows.push(toRow('all of them', all))
  const [without, own] = all
  return {
    title,
    about: `medians of ${rounds} rounds of ${ROUND_SECONDS} s over ${CONNECTIONS} connections, ${PINNING}; in microseconds of processor time a request`,
    columns: ['', 'without', 'with', 'ratio'],
    rows,
    bars: [
      atMost(BAR, 'requests taken down, against nothing taken down', medianRatio(own, without)),
    ],
  }
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
