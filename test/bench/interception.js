/**
 * The cost of a request that MSW intercepts and the sandbox serves, against a handler that returns a constant with the same
 * bytes and headers. Both alternate in one process.
 *
 * With MSW_3, the folder of an msw 3, on Node 22.15 or later, it measures that version. Run only this suite then, because
 * modules that were imported before keep their msw.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { atMost, interleave, median, medianRatio } from './support/report.js'

const BASE = 'https://seo.example.com'
const INIT = { headers: { authorization: 'Bearer sandbox-unlimited' } }
const PATHS = ['/me', '/projects', '/projects/101', '/projects/101/reports/1/content']

const REQUESTS_PER_ROUND = 10

/** Maximum cost of a request, relative to the constant. */
const BAR = 1.2

export async function measure({ isShort }) {
  const [rounds, warmUp] = isShort ? [60, 20] : [200, 30]
  const { version, http, setupServer, createSandbox, handlers } = await importAll()
  const server = setupServer()
  server.listen()
  const own = handlers(await createSandbox(), { baseUrl: BASE })
  const rows = []
  const bars = []
  for (const path of PATHS) {
    const url = `${BASE}/api/v1${path}`
    server.resetHandlers(...own)
    const { bytes, constant } = await createConstant(url, http)
    const timeSide = (list) => {
      server.resetHandlers(...list)
      return timeRound(url)
    }
    const sides = [constant, own]
    const [ofConstant, ofOwn] = await interleave(sides, { rounds, warmUp }, timeSide)
    const ratio = medianRatio(ofOwn, ofConstant)
    rows.push([path, bytes, median(ofConstant), median(ofOwn), ratio])
    bars.push(atMost(BAR, `${path} by MSW, against a constant handler`, ratio))
  }
  server.close()
  return {
    title: `Interception by msw ${version}, against a constant handler`,
    about: `medians of ${rounds} rounds of ${REQUESTS_PER_ROUND} requests in one process, in microseconds per request, including reading the body`,
    columns: ['', 'bytes', 'constant', 'sandbox', 'ratio'],
    rows,
    bars,
  }
}

/** Imports the measured modules, with the requested msw. */
async function importAll() {
  const { MSW_3 } = process.env
  const packageFile = MSW_3
    ? resolve(MSW_3, 'package.json')
    : fileURLToPath(import.meta.resolve('msw/package.json'))
  if (MSW_3) resolveMswFrom(packageFile)
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8'))
  const { http } = await import('msw')
  const { setupServer } = await import('msw/node')
  const { createSandbox } = await import('seo-sandbox')
  const { handlers } = await import('seo-sandbox/msw')
  return { version, http, setupServer, createSandbox, handlers }
}

/** Makes every import of `msw` resolve to this package, as if its own files imported it. */
function resolveMswFrom(packageFile) {
  const parentURL = pathToFileURL(packageFile).href
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, /^msw(\/|$)/.test(specifier) ? { ...context, parentURL } : context),
  })
}

/** A handler that returns the current response as a constant. */
async function createConstant(url, http) {
  const sample = await fetch(url, INIT)
  if (sample.status !== 200) throw new Error(`${url} responds with ${sample.status}.`)
  const body = new Uint8Array(await sample.arrayBuffer())
  const { status, headers } = sample
  const answer = () => new Response(body, { status, headers: Object.fromEntries(headers) })
  return { bytes: body.byteLength, constant: [http.get(url, answer)] }
}

/** Microseconds per request. */
async function timeRound(url) {
  const start = performance.now()
  for (let count = 0; count < REQUESTS_PER_ROUND; count += 1) {
    const response = await fetch(url, INIT)
    await response.arrayBuffer()
  }
  return ((performance.now() - start) * 1000) / REQUESTS_PER_ROUND
}
