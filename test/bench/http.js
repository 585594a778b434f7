/**
 * The cost of a request over HTTP, with all checks and the journal, against a bare `node:http` server that
 * writes the same response from a prepared buffer.
 */
import { createSandbox } from 'seo-sandbox'
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { PINNING, startServed } from './support/processes.js'
import { atLeast, interleave, median, medianRatio } from './support/report.js'
import { REQUESTS, WORLD } from './support/world.js'

/** Throughput relative to bare `node:http`, on Node 20 and on later versions. */
const BARS = {
  me: [0.9, 0.9],
  'a project': [0.7, 0.8],
  'a list of 100': [0.75, 0.85],
  'content of 50 keywords': [0.75, 0.85],
  'a 429': [0.8, 0.8],
}

/** Short rounds, so that both sides of a ratio meet the same conditions. */
const SECONDS = 0.5

const title = 'HTTP, against bare node:http'

export async function measure({ isShort }) {
  const skipped = whyNoLoad()
  if (skipped) return { title, skipped }
  const rounds = isShort ? 5 : 21
  const own = await startServed('sandbox', WORLD)
  const rows = []
  const bars = []
  for (const request of REQUESTS) {
    const answer = await answerTo(request)
    const bare = await startServed('bare', answer)
    const [ofBare, ofOwn] = await interleave([bare, own], { rounds }, (server) =>
      askServer(server, request),
    )
    await bare.stop()
    const ratio = medianRatio(ofOwn.map(perSecond), ofBare.map(perSecond))
    rows.push([
      request.name,
      answer.bytes,
      ...[ofBare, ofOwn].map((results) => Math.round(median(results.map(perSecond)))),
      ratio,
      median(ofOwn.map(cpu)),
      medianRatio(ofBare.map(cpu), ofOwn.map(cpu)),
      ...[ofBare, ofOwn].map((results) => median(results.map(({ p50Ms }) => p50Ms))),
      ...[ofBare, ofOwn].map((results) => median(results.map(({ p99Ms }) => p99Ms))),
    ])
    const bar = BARS[request.name]?.[IS_NODE_20 ? 0 : 1]
    if (bar) bars.push(atLeast(bar, `${request.name}, against bare node:http`, ratio))
  }
  await own.stop()
  return {
    title,
    about: `medians of ${rounds} rounds of ${SECONDS} seconds over ${CONNECTIONS} connections, ${PINNING}; processor time in microseconds per request, p50 and p99 in milliseconds`,
    columns: [
      '',
      'bytes',
      'bare /s',
      'sandbox /s',
      'ratio',
      'cpu',
      'cpu ratio',
      'p50 bare',
      'p50',
      'p99 bare',
      'p99',
    ],
    rows,
    bars,
  }
}

const IS_NODE_20 = process.versions.node.startsWith('20.')

const perSecond = (round) => round.perSecond
const cpu = (round) => round.cpu

async function askServer(server, { target, token, isError }) {
  const headers = { Authorization: `Bearer ${token}` }
  const url = `http://127.0.0.1:${server.port}${target}`
  // A token with one request an hour gets 429 from its second request.
  await fetch(url, { headers })
  const before = await server.processorTime()
  const loaded = await load(url, { seconds: SECONDS, headers, isError })
  return { ...loaded, cpu: ((await server.processorTime()) - before) / loaded.requests }
}

/** The response that the bare server has to write: that of the sandbox. */
async function answerTo({ target, token, isError }) {
  const sandbox = await createSandbox(WORLD)
  const init = { headers: { authorization: `Bearer ${token}` } }
  if (isError) await sandbox.fetch(target, init)
  const response = await sandbox.fetch(target, init)
  const body = Buffer.from(await response.arrayBuffer())
  const { status, headers } = response
  return {
    status,
    headers: Object.fromEntries(headers),
    body: body.toString('base64'),
    bytes: body.byteLength,
  }
}
