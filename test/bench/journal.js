/**
 * What it costs that every request is taken down, in the journal and in the session: `npm run bench`. Two
 * servers answer the same requests over HTTP, one of them with nothing taken down. Rounds alternate, so that
 * whatever else the machine does meets both alike; the processor time of each server counts, for on two
 * cores the client would else be measured too.
 */
import { fork } from 'node:child_process'
import { Agent, get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { machine, median, print, row } from './report.js'

const PATHS = ['/me', '/projects/101', '/projects', '/projects/101/reports/3/content']
const WARM_UP_ROUNDS = 5
const ROUNDS = 30
const REQUESTS_PER_ROUND = 1000
const CONNECTIONS = 16

/** How much more requests may cost. */
const BAR = 1.05

if (process.send) await serve(process.argv[2])
else await compare()

/** A server in a process of its own, which tells its port, and its processor time when it is asked. */
async function serve(kind) {
  if (kind === 'without') {
    const { Journal } = await import('../../dist/control/journal.js')
    const { SessionRecorder } = await import('../../dist/control/session-recorder.js')
    Journal.prototype.addRequest = () => undefined
    SessionRecorder.prototype.addRequest = () => undefined
  }
  const { startServer } = await import('seo-sandbox/server')
  const { port } = await startServer({ port: 0 })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send(user + system)
  })
  process.send(port)
}

async function compare() {
  print(machine())
  print(
    `medians of ${ROUNDS} rounds of ${REQUESTS_PER_ROUND} requests over ${CONNECTIONS} connections,`,
  )
  print('in microseconds of processor time a request\n')
  print(row(['', 'without', 'with', 'ratio']))
  const sides = [await start('without'), await start('with')]
  const medians = []
  for (const path of PATHS) medians.push(await measure(path, sides))
  for (const { child } of sides) child.kill()
  const [without, withIt] = [0, 1].map((side) => medians.reduce((sum, of) => sum + of[side], 0))
  const ratio = withIt / without
  print(row(['all of them', without.toFixed(1), withIt.toFixed(1), ratio.toFixed(3)]))
  print(`\nThe bar is ${BAR} for all of them together${ratio > BAR ? ': missed' : ''}.`)
}

async function start(kind) {
  const child = fork(fileURLToPath(import.meta.url), [kind])
  const port = await next(child)
  return { child, port, agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }) }
}

function next(child) {
  return new Promise((resolve) => {
    child.once('message', resolve)
  })
}

/** Measures one path, prints its row, and gives the median of each side. */
async function measure(path, sides) {
  const times = sides.map(() => [])
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const time = await timeRound(path, sides[index])
      if (round >= 0) times[index].push(time)
    }
  }
  const medians = times.map(median)
  const [without, withIt] = medians
  print(row([path, without.toFixed(1), withIt.toFixed(1), (withIt / without).toFixed(3)]))
  return medians
}

async function timeRound(path, side) {
  const before = await processorTime(side)
  let left = REQUESTS_PER_ROUND
  const connection = async () => {
    while (left > 0) {
      left -= 1
      await ask(path, side)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return ((await processorTime(side)) - before) / REQUESTS_PER_ROUND
}

function processorTime({ child }) {
  child.send('time')
  return next(child)
}

function ask(path, { port, agent }) {
  const headers = { authorization: 'Bearer sandbox-unlimited' }
  const options = { host: '127.0.0.1', port, path: `/api/v1${path}`, agent, headers }
  return new Promise((resolve, reject) => {
    get(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`))
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}
