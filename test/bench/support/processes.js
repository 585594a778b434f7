import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { availableParallelism } from 'node:os'

/** Measured processes, each on its own core if there are two, and their cost. */

/** The core of the measured process, and of its client. */
export const SERVER_CORE = 0
export const CLIENT_CORE = 1

const CAN_PIN =
  availableParallelism() > 1 &&
  spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0

/** Pinning of the processes, shown next to the figures. */
export const PINNING = CAN_PIN
  ? 'server and client each on its own core'
  : 'server and client not pinned to cores (there is one core, or no taskset)'

/** A command, wrapped to run on a core. */
export function onCore(core, command, args) {
  return CAN_PIN ? ['taskset', ['-c', String(core), command, ...args]] : [command, args]
}

/**
 * Starts a server of `servers.js` in its own process, and waits until it listens. `node` is the Node that runs it, by
 * default that of this process.
 */
export async function startServed(kind, settings = {}, { node = process.execPath } = {}) {
  const file = fileURLToPath(new URL('servers.js', import.meta.url))
  const [execPath, execArgv] = onCore(SERVER_CORE, node, [])
  const child = fork(file, [kind], { execPath, execArgv })
  child.send(settings)
  const ask = async (question) => {
    child.send(question)
    const [reply] = await once(child, 'message')
    return reply
  }
  const [port] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The server "${kind}" ended with ${code} before it listened.`)
    }),
  ])
  return {
    port,
    /** Microseconds of processor time so far. */
    processorTime: () => ask('processor time'),
    /** For `journal-in-turn` and `review-in-turn`: records or reviews requests `always`, `never` or `in turn` from now on. */
    record: ask,
    /** The cost since the last call of `record`. */
    turns: () => ask('turns'),
    /** Bytes of the heap in use after a forced collection. */
    liveHeap: () => ask('live heap'),
    stop: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** The command line, as run by `npx seo-sandbox`. */
export const BIN = fileURLToPath(new URL('../../../bin/seo-sandbox.js', import.meta.url))

/** Makes a process report its memory and processor time on a message. */
const REPORT_USE = `data:text/javascript,${encodeURIComponent(`
  const uses = {
    memory: () => process.memoryUsage.rss(),
    'processor time': () => process.cpuUsage(),
  }
  process.on('message', (use) => process.send(uses[use]()))
`)}`

/** Starts the command line in its own process, on any core, and waits until it listens. */
export async function startCommandLine(args, { env = {} } = {}) {
  const child = fork(BIN, [...args, '--port', '0', '--json'], {
    env: { ...process.env, ...env },
    execArgv: ['--import', REPORT_USE],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`seo-sandbox ${args.join(' ')} ended with ${code} before it listened.`)
    }),
  ])
  child.stdout.resume()
  const { url, port } = JSON.parse(line)
  const ask = async (use) => {
    child.send(use)
    const [reply] = await once(child, 'message')
    return reply
  }
  return {
    url,
    port,
    /** Bytes in memory. */
    memory: () => ask('memory'),
    /** Microseconds of processor time so far. */
    processorTime: async () => {
      const { user, system } = await ask('processor time')
      return user + system
    },
    /** Ends the process with time to write its coverage. */
    stop: async () => {
      child.disconnect()
      await stopProcess(child)
    },
  }
}

/** Microseconds of processor time of any process of Linux so far, in steps of 10,000. */
export async function processorTimeOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  // After the name, which may contain spaces, the state is the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Bytes in memory of any process of Linux. */
export async function memoryOf(pid) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)[1]) * 1024
}

/** Ends a child process, unless it has exited already. */
export async function stopProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

/**
 * Runs a command on a core until it exits, or is interrupted after `endAfterMs`, and returns its output.
 *
 * @throws if it fails.
 */
export async function run(core, command, args, { endAfterMs } = {}) {
  const [file, fileArgs] = onCore(core, command, args)
  const child = spawn(file, fileArgs, { stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = endAfterMs && setTimeout(() => child.kill('SIGINT'), endAfterMs)
  const printed = []
  child.stdout.on('data', (piece) => printed.push(piece))
  child.stderr.on('data', (piece) => printed.push(piece))
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  const text = Buffer.concat(printed).toString()
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${text}`)
  return text
}
