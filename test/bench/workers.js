/**
 * Whether `--workers` could be worth it (docs/decisions/0015): the token of a request selects its world, so one
 * process would have to read each request before another serves it. Compares the time of the first on a request
 * with that of the sandbox.
 */
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { interleave, median, medianRatio } from './support/report.js'

const HEADERS = { Authorization: 'Bearer sandbox-unlimited' }
const PATHS = ['/me', '/projects', '/projects/101/reports/3/content']
const SECONDS = 0.5

const title = 'A process in front of workers, against one that serves requests itself'

export async function measure({ isShort }) {
  const skipped = whyNoLoad()
  if (skipped) return { title, skipped }
  const rounds = isShort ? 3 : 15
  const own = await startServed('sandbox')
  const front = await startServed('front', { ports: [own.port] })
  const rows = []
  for (const path of PATHS) {
    const [ofOwn, ofFront] = await interleave([own, front], { rounds }, async (server) => {
      const before = await server.processorTime()
      const { requests } = await load(`http://127.0.0.1:${server.port}/api/v1${path}`, {
        seconds: SECONDS,
        headers: HEADERS,
      })
      return ((await server.processorTime()) - before) / requests
    })
    rows.push([path, median(ofOwn), median(ofFront), medianRatio(ofFront, ofOwn)])
  }
  for (const server of [front, own]) await server.stop()
  return {
    title,
    about: `medians of ${rounds} rounds of ${SECONDS} s over ${CONNECTIONS} connections, ${PINNING}; in microseconds of processor time per request, for the process in front without that of the worker`,
    columns: ['', 'served', 'passed on', 'ratio'],
    rows,
  }
}
