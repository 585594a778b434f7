/**
 * What a request costs that MSW intercepts and the sandbox answers, against a handler that returns a
 * constant of the same bytes and headers: `npm run bench`. With MSW_3, the folder of an msw 3, on Node
 * 22.15 or later, it is measured over that one.
 *
 * Rounds of both alternate in one process, so that whatever else the machine does meets both alike.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { machine, median, print, row } from './report.js'

const BASE = 'https://seo.example.com'
const INIT = { headers: { authorization: 'Bearer sandbox-unlimited' } }
const PATHS = ['/me', '/projects', '/projects/101', '/projects/101/reports/1/content']

const WARM_UP_ROUNDS = 30
const ROUNDS = 200
const REQUESTS_PER_ROUND = 10

/** How much more than the constant a request may cost. */
const BAR = 1.2

const MSW_PACKAGE = process.env.MSW_3
  ? resolve(process.env.MSW_3, 'package.json')
  : fileURLToPath(import.meta.resolve('msw/package.json'))
if (process.env.MSW_3) resolveMswFrom(MSW_PACKAGE)

const { http } = await import('msw')
const { setupServer } = await import('msw/node')
const { createSandbox } = await import('seo-sandbox')
const { handlers } = await import('seo-sandbox/msw')

const { version } = JSON.parse(readFileSync(MSW_PACKAGE, 'utf8'))
print(`${machine()}, msw ${version}`)
print(`medians of ${ROUNDS} rounds of ${REQUESTS_PER_ROUND} requests, in microseconds a request\n`)
print(row(['', 'bytes', 'constant', 'sandbox', 'ratio']))

const server = setupServer()
server.listen()
const sandbox = await createSandbox()
const ratios = []
for (const path of PATHS) ratios.push(await measure(path))
server.close()

const worst = Math.max(...ratios)
print(`\nAt most ${worst.toFixed(2)}; the bar is ${BAR}${worst > BAR ? ': missed' : ''}.`)

/** Measures one path, prints its row, and gives the ratio of the medians. */
async function measure(path) {
  const url = `${BASE}/api/v1${path}`
  const own = handlers(sandbox, { baseUrl: BASE })
  server.resetHandlers(...own)
  const sample = await fetch(url, INIT)
  if (sample.status !== 200) throw new Error(`${path} is answered with ${sample.status}.`)
  const body = new Uint8Array(await sample.arrayBuffer())
  const { status, headers } = sample
  const constant = [
    http.get(url, () => new Response(body, { status, headers: Object.fromEntries(headers) })),
  ]
  const sides = [
    { list: constant, times: [] },
    { list: own, times: [] },
  ]
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const { list, times } of round % 2 === 0 ? sides : sides.toReversed()) {
      server.resetHandlers(...list)
      const time = await timeRound(url)
      if (round >= 0) times.push(time)
    }
  }
  const [base, mine] = sides.map(({ times }) => median(times))
  const ratio = mine / base
  print(row([path, body.byteLength, base.toFixed(1), mine.toFixed(1), ratio.toFixed(2)]))
  return ratio
}

/** Microseconds a request, its body read. */
async function timeRound(url) {
  const start = performance.now()
  for (let count = 0; count < REQUESTS_PER_ROUND; count += 1) {
    const response = await fetch(url, INIT)
    await response.arrayBuffer()
  }
  return ((performance.now() - start) * 1000) / REQUESTS_PER_ROUND
}

/** Makes `msw`, imported by whomever, the package at a place: as if its own files imported it. */
function resolveMswFrom(packageFile) {
  const parentURL = pathToFileURL(packageFile).href
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, /^msw(\/|$)/.test(specifier) ? { ...context, parentURL } : context),
  })
}
