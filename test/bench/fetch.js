/**
 * The cost of `sandbox.fetch`, including reading the body, against creating and reading a `Response` with
 * the same bytes and headers. Both alternate in one process.
 */
import { createSandbox } from 'seo-sandbox'
import { atMost, interleave, median, medianRatio } from './support/report.js'
import { REQUESTS, WORLD } from './support/world.js'

/** The highest allowed cost of a request, relative to the constant Response. */
const BAR = 3

const REQUESTS_PER_ROUND = 100

export async function measure({ isShort }) {
  const [rounds, warmUp] = isShort ? [40, 15] : [200, 50]
  const sandbox = await createSandbox(WORLD)
  const rows = []
  const bars = []
  for (const request of REQUESTS) {
    const [constant, own] = await createSides(sandbox, request)
    const [ofConstant, ofOwn] = await interleave([constant, own], { rounds, warmUp }, timeRound)
    const ratio = medianRatio(ofOwn, ofConstant)
    rows.push([request.name, constant.bytes, median(ofConstant), median(ofOwn), ratio])
    bars.push(atMost(BAR, `${request.name} by fetch, against a constant Response`, ratio))
  }
  return {
    title: 'fetch, against a constant Response',
    about: `medians of ${rounds} rounds of ${REQUESTS_PER_ROUND} requests in one process, in microseconds per request, including reading the body`,
    columns: ['', 'bytes', 'constant', 'sandbox', 'ratio'],
    rows,
    bars,
  }
}

/** The constant Response, and the sandbox that it is copied from. */
async function createSides(sandbox, { target, token, isError = false }) {
  const init = { headers: { authorization: `Bearer ${token}` } }
  // A token with one request an hour gets 429 from its second request.
  if (isError) await sandbox.fetch(target, init)
  const sample = await sandbox.fetch(target, init)
  if (sample.ok === isError) throw new Error(`${target} is answered with ${sample.status}.`)
  const bytes = new Uint8Array(await sample.arrayBuffer())
  const { status } = sample
  const headers = Object.fromEntries(sample.headers)
  return [
    { bytes: bytes.byteLength, ask: () => new Response(bytes, { status, headers }) },
    { ask: () => sandbox.fetch(target, init) },
  ]
}

/** Microseconds per request. */
async function timeRound({ ask }) {
  const start = performance.now()
  for (let count = 0; count < REQUESTS_PER_ROUND; count += 1) {
    const response = await ask()
    await response.arrayBuffer()
  }
  return ((performance.now() - start) * 1000) / REQUESTS_PER_ROUND
}
