/**
 * What worlds cost, those that are made up above all: `npm run bench`. Each figure stands beside the bar
 * that it has to keep; a miss is told and fails nothing, for machines differ.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSandbox } from 'seo-sandbox'
import { machine, median, print, row } from './report.js'

const BIN = fileURLToPath(new URL('../../bin/seo-sandbox.js', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../../fixtures/examples/agency.yaml', import.meta.url))
const SUPER = 'sandbox-super'
const HEADERS = { authorization: `Bearer ${SUPER}` }

const PROJECTS = 100_000
const FIRST_ID = 1001
/** Shares no factor with the number of projects: its multiples come by each of them once, far apart. */
const STRIDE = 61_803

/** Lets the process of a server tell its resident memory. */
const TELL_MEMORY =
  'data:text/javascript,process.on("message", () => process.send(process.memoryUsage.rss()))'

const ISOLATED_WORLDS = 1000

const STARTS = 3
const READS = 10_000
const READS_AT_ONCE = 8
const WARM_UP_ROUNDS = 20
const ROUNDS = 200
const ROUNDS_OF_PAGES = 60
const LABEL_WIDTH = 62

print(`\n${machine()}`)
print(`worlds of ${PROJECTS} made-up projects; medians where there are several\n`)
print(row(['', 'measured', 'bar'], LABEL_WIDTH))

const sandbox = await createSandbox({ generate: { projects: PROJECTS }, rateLimit: 'unlimited' })
const touches = await touchProjects()
const figures = [
  figure('from the command to the first answer, s', await timeStarts(), 3),
  figure(`memory after ${READS} scattered reads, MB`, await measureMemory(), 500),
  figure(
    `memory of ${ISOLATED_WORLDS} isolated worlds, one request to each, MB`,
    await measureIsolated(),
    300,
  ),
  figure('page 1,000 of the projects against page 1', await comparePages(), 1.2),
  figure('first read of a project, ms', touches.first, 10),
  figure('next read of a project, ms', touches.next, 1),
  figure('reset of the default world, ms', await timeResets(), 2),
  figure(
    'modules of generation loaded for a fixture file',
    await countModules(['--fixtures', EXAMPLE]),
    0,
  ),
]
print(`\nThe last would be ${await countModules(['--projects', '1'])} with a project made up.`)

const missed = figures.filter(({ measured, bar }) => measured > bar).map(({ label }) => label)
print(missed.length === 0 ? 'No bar is missed.' : `Missed: ${missed.join('; ')}.`)

/** Prints a figure beside its bar. */
function figure(label, measured, bar) {
  const shown = Number.isInteger(measured) ? measured : measured.toPrecision(3)
  print(row([label, shown, bar], LABEL_WIDTH))
  return { label, measured, bar }
}

/** Seconds until the command line, started anew, has answered a request. */
async function timeStarts() {
  const times = []
  for (let count = 0; count < STARTS; count += 1) {
    const start = performance.now()
    const server = await startCli(['--projects', String(PROJECTS)])
    await read(`${server.url}/api/v1/projects`)
    times.push((performance.now() - start) / 1000)
    await server.close()
  }
  return median(times)
}

/** The resident memory of a server of its own, after reads of projects all over the world and of pages of lists. */
async function measureMemory() {
  const server = await startCli(['--projects', String(PROJECTS), '--rate-limit', 'unlimited'])
  let next = 0
  const readOn = async () => {
    while (next < READS) {
      next += 1
      await read(`${server.url}/api/v1${scatteredPath(next)}`)
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn))
  const bytes = await server.memory()
  await server.close()
  return bytes / 1e6
}

/** The resident memory of a server with so many worlds of the default fixture beside the default one. */
async function measureIsolated() {
  const server = await startCli([])
  for (let count = 0; count < ISOLATED_WORLDS; count += 1) {
    const made = await fetch(`${server.url}/_sandbox/worlds`, { method: 'POST' })
    const { tokens } = await made.json()
    await read(`${server.url}/api/v1/projects`, tokens['sandbox-super'])
  }
  const { worlds } = await (await fetch(`${server.url}/_sandbox/health`)).json()
  if (worlds !== ISOLATED_WORLDS + 1) throw new Error(`There are ${worlds} worlds.`)
  const bytes = await server.memory()
  await server.close()
  return bytes / 1e6
}

function scatteredPath(count) {
  const project = `/projects/${scatteredId(count)}`
  const paths = [
    project,
    `${project}/reports`,
    `${project}/reports/latest`,
    `${project}/reports/1/content`,
    `${project}/keywords`,
    `/projects?page=${1 + ((count * STRIDE) % 5000)}`,
  ]
  return paths[count % paths.length]
}

function scatteredId(count) {
  return FIRST_ID + ((count * STRIDE) % PROJECTS)
}

/**
 * How many times as long a page far down the list takes. The projects of both are touched by then; the
 * clock moves on between rounds, so that no body is a kept one.
 */
async function comparePages() {
  const sides = [
    { path: '/projects?page=1', times: [] },
    { path: '/projects?page=1000', times: [] },
  ]
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS_OF_PAGES; round += 1) {
    await sandbox.clock.advance('PT1H')
    await timeAnswer('/projects?per_page=1')
    for (const { path, times } of round % 2 === 0 ? sides : sides.toReversed()) {
      const time = await timeAnswer(path)
      if (round >= 0) times.push(time)
    }
  }
  const [first, far] = sides.map(({ times }) => median(times))
  return far / first
}

/** What it takes to read something of a project for the first time, and something else of it then. */
async function touchProjects() {
  const [first, next] = [[], []]
  for (let count = 0; count < ROUNDS; count += 1) {
    const project = `/projects/${scatteredId(count)}`
    first.push(await timeAnswer(`${project}/reports`))
    next.push(await timeAnswer(`${project}/reports/latest`))
  }
  return { first: median(first), next: median(next) }
}

async function timeResets() {
  const world = await createSandbox()
  const times = []
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const start = performance.now()
    await world.reset()
    if (round >= 0) times.push(performance.now() - start)
  }
  return median(times)
}

/** How many modules a server loads that only make worlds up; V8's coverage names every script. */
async function countModules(args) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-bench-'))
  try {
    const server = await startCli(args, { NODE_V8_COVERAGE: folder })
    await read(server.url)
    await server.close()
    const texts = await Promise.all(
      (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')),
    )
    const urls = texts.flatMap((text) => JSON.parse(text).result.map(({ url }) => url))
    return urls.filter((url) => /\/dist\/world\/generate\/|\/@faker-js\//.test(url)).length
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Milliseconds of an answer in this process. */
async function timeAnswer(path) {
  const start = performance.now()
  const response = await sandbox.fetch(`/api/v1${path}`, { headers: HEADERS })
  await response.arrayBuffer()
  const time = performance.now() - start
  if (response.status >= 500) throw new Error(`${path} is answered with ${response.status}.`)
  return time
}

/** Has a URL answered; a project may lack what is asked for, but nothing may be refused. */
async function read(url, token = SUPER) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  if (![200, 404].includes(response.status)) {
    throw new Error(`${url} is answered with ${response.status}.`)
  }
}

/** The command line in a process of its own, listening. */
async function startCli(args, env = {}) {
  const child = fork(BIN, [...args, '--port', '0', '--json'], {
    env: { ...process.env, ...env },
    execArgv: ['--import', TELL_MEMORY],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  child.stdout.resume()
  const { url } = JSON.parse(line)
  return {
    url,
    memory: async () => {
      child.send('memory')
      const [bytes] = await once(child, 'message')
      return bytes
    },
    close: async () => {
      child.disconnect()
      child.kill()
      await once(child, 'exit')
    },
  }
}
