/**
 * The time to the first response: from the command line, from `createSandbox`, after a reset; the code that
 * an import loads, and the memory of a server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createSandbox } from 'seo-sandbox'
import { freePort } from '../support/free-port.js'
import { load, whyNoLoad } from './support/load.js'
import { listLoadedFiles } from './support/modules.js'
import { BIN, startCommandLine, stopProcess } from './support/processes.js'
import { atMost, interleave, median, medianRatio, within } from './support/report.js'

const HEADERS = { Authorization: 'Bearer sandbox-unlimited' }

export async function measure({ isShort }) {
  return [
    await measureStarts(isShort ? { rounds: 3, warmUp: 0 } : { rounds: 11, warmUp: 1 }),
    await measureCreation(isShort ? { rounds: 30, warmUp: 20 } : { rounds: 200, warmUp: 50 }),
    await measureImports(isShort ? { rounds: 5, warmUp: 0 } : { rounds: 21, warmUp: 1 }),
    await measureMemory({ starts: isShort ? 1 : 5 }),
  ]
}

/** The highest allowed time of the command to its first response, relative to a bare start. */
const START_BAR = 2

async function measureStarts(extent) {
  const scripts = [fileURLToPath(new URL('support/bare.js', import.meta.url)), BIN]
  const [ofBare, ofOwn] = await interleave(scripts, extent, timeStart)
  const ratio = medianRatio(ofOwn, ofBare)
  return {
    title: 'From the command to the first answer, against bare node:http',
    about: `medians of ${extent.rounds} starts in milliseconds, without pinning to cores; polled until GET /api/v1/me gets a response`,
    columns: ['', 'bare', 'sandbox', 'ratio'],
    rows: [['default world', median(ofBare), median(ofOwn), ratio]],
    bars: [atMost(START_BAR, 'command to first answer, against bare node:http', ratio)],
  }
}

/** The time of a start, in milliseconds. */
async function timeStart(script) {
  const port = await freePort()
  const start = performance.now()
  const child = spawn(process.execPath, [script, '--port', String(port)], { stdio: 'ignore' })
  try {
    while (!(await isAnswered(port))) {
      if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode}.`)
      await setTimeout(POLL_MS)
    }
    return performance.now() - start
  } finally {
    await stopProcess(child)
  }
}

const POLL_MS = 1

/** Resolves to true if there is a response, to false if nothing listens yet. @throws for a status other than 200. */
function isAnswered(port) {
  const url = `http://127.0.0.1:${port}/api/v1/me`
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: HEADERS }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve(true)
        else reject(new Error(`${url} responds with ${response.statusCode}.`))
      })
    })
    request.once('error', (error) => {
      if (error.code === 'ECONNREFUSED') resolve(false)
      else reject(error)
    })
  })
}

/** Maximum time of a reset, in milliseconds. */
const RESET_BAR = 2

async function measureCreation(extent) {
  const sandbox = await createSandbox()
  const steps = [() => createSandbox(), () => sandbox.reset()]
  const [ofCreation, ofReset] = await interleave(steps, extent, async (step) => {
    const start = performance.now()
    await step()
    return performance.now() - start
  })
  return {
    title: 'The default world in a process that has warmed up',
    about: `medians of ${extent.rounds} rounds, in milliseconds`,
    columns: ['', 'ms'],
    rows: [
      ['createSandbox', median(ofCreation)],
      ['reset', median(ofReset)],
    ],
    bars: [within(RESET_BAR, 'reset of the default world, ms', median(ofReset))],
  }
}

const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** Every entry point of the package that is code. */
const ENTRIES = Object.entries(PACKAGE.exports)
  .filter(([, { types }]) => types !== undefined)
  .map(([entry]) => entry.replace(/^\./, PACKAGE.name))
  .map((name) => ({ name, url: import.meta.resolve(name) }))

/** An import of nothing: the time that Node takes to start and exit. */
const NOTHING = 'data:text/javascript,'

/** The library's modules and those of its packages, as they are before they are bundled. */
const UNBUNDLED = new URL('../../build/index.js', import.meta.url).href

/** The highest allowed time of an import of the library, relative to its modules before they are bundled. */
const IMPORT_BAR = 0.6

async function measureImports(extent) {
  const sides = [NOTHING, UNBUNDLED, ...ENTRIES.map(({ url }) => url)]
  const [ofNothing, ofUnbundled, ...ofEntries] = await interleave(sides, extent, timeImport)
  const msOf = (times) => median(times) - median(ofNothing)
  const weights = await Promise.all(ENTRIES.map(({ url }) => weigh(url)))
  const rows = ENTRIES.map(({ name }, index) => {
    const times = ofEntries[index]
    const ms = times.includes(undefined) ? 'needs its runner' : msOf(times)
    return [name, ms, ...weights[index]]
  })
  const ratio = msOf(ofEntries[0]) / msOf(ofUnbundled)
  return {
    title: 'Imports',
    about: `medians of ${extent.rounds} processes in milliseconds, minus an import of nothing; the loaded files of code, and their kilobytes`,
    columns: ['', 'ms', 'own files', 'own KB', 'files of packages', 'their KB'],
    rows: [['seo-sandbox, not bundled', msOf(ofUnbundled), ...(await weigh(UNBUNDLED))], ...rows],
    bars: [atMost(IMPORT_BAR, 'import of seo-sandbox, against its modules not bundled', ratio)],
  }
}

/** The time of a process that imports this, in milliseconds; undefined if it cannot be imported there, like Vitest. */
async function timeImport(url, _round, env = process.env) {
  const code = `import ${JSON.stringify(url)}`
  const start = performance.now()
  const args = ['--input-type=module', '--eval', code]
  const [exitCode] = await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit')
  return exitCode === 0 ? performance.now() - start : undefined
}

/** Files and kilobytes, of the package and of its dependencies. */
async function weigh(url) {
  const urls = await listLoadedFiles((env) => timeImport(url, 0, { ...process.env, ...env }))
  const isOfPackage = (file) => file.includes('/node_modules/')
  const figures = []
  for (const files of [urls.filter((file) => !isOfPackage(file)), urls.filter(isOfPackage)]) {
    const stats = await Promise.all(files.map((file) => stat(new URL(file))))
    figures.push(files.length, stats.reduce((sum, { size }) => sum + size, 0) / 1000)
  }
  return figures
}

/** The highest allowed memory of the default world after its start, in megabytes; later versions of Node take more themselves. */
const MEMORY_BAR = process.versions.node.startsWith('20.') ? 66 : 80

const LOADED_REQUESTS = 10_000

async function measureMemory({ starts }) {
  const started = []
  const loaded = []
  for (let count = 0; count < starts; count += 1) {
    const server = await startCommandLine([])
    started.push((await server.memory()) / 1e6)
    if (!whyNoLoad()) {
      await loadFully(`${server.url}/api/v1/projects`)
      loaded.push((await server.memory()) / 1e6)
    }
    await server.stop()
  }
  const memory = median(started)
  return {
    title: 'Memory of the command line with the default world',
    about: `medians of ${starts} starts, resident, in megabytes`,
    columns: ['', 'MB', 'target'],
    rows: [
      ['after the start', memory, MEMORY_BAR],
      [`after ${LOADED_REQUESTS} requests`, whyNoLoad() ?? median(loaded), 'none'],
    ],
    bars: [within(MEMORY_BAR, 'memory after the start of the default world, MB', memory)],
  }
}

async function loadFully(url) {
  let requests = 0
  while (requests < LOADED_REQUESTS) requests += (await load(url, { headers: HEADERS })).requests
}
