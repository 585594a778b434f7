import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { availableParallelism } from 'node:os'

/** Processes to be measured, each on a core of its own where there are two, and what they cost. */

/** The core of what is measured, and of what asks it. */
export const SERVER_CORE = 0
export const CLIENT_CORE = 1

const CAN_PIN =
  availableParallelism() > 1 &&
  spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0

/** What to say of it beside the figures. */
export const PINNING = CAN_PIN
  ? 'server and client each on a core of its own'
  : 'server and client on whichever cores the system gives them (there is one core, or no taskset)'

/** A command as it is run on a core. */
export function onCore(core, command, args) {
  return CAN_PIN ? ['taskset', ['-c', String(core), command, ...args]] : [command, args]
}

/**
 * A server of `servers.js` in a process of its own, once it listens. `node` is the Node that runs it, the
 * one of this process where omitted.
 */
export async function startServed(kind, settings = {}, { node = process.execPath } = {}) {
  const file = fileURLToPath(new URL('servers.js', import.meta.url))
  const [execPath, execArgv] = onCore(SERVER_CORE, node, [])
  const child = fork(file, [kind], { execPath, execArgv })
  child.send(settings)
  const ask = async (question) => {
    child.send(question)
    const [told] = await once(child, 'message')
    return told
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
    /** For `journal-in-turn`: takes requests down `always`, `never` or `in turn` from now on. */
    record: ask,
    /** What that has cost since. */
    turns: () => ask('turns'),
    /** Bytes in memory. */
    memory: () => ask('memory'),
    /** Bytes on the heap that are still in use, after a collection for that. */
    liveHeap: () => ask('live heap'),
    stop: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** The command line, as it is run by `npx seo-sandbox`. */
export const BIN = fileURLToPath(new URL('../../../bin/seo-sandbox.js', import.meta.url))

/** Lets a process tell its resident memory. */
const TELL_MEMORY =
  'data:text/javascript,process.on("message", () => process.send(process.memoryUsage.rss()))'

/** The command line in a process of its own, on whichever core, once it listens. */
export async function startCommandLine(args, { env = {} } = {}) {
  const child = fork(BIN, [...args, '--port', '0', '--json'], {
    env: { ...process.env, ...env },
    execArgv: ['--import', TELL_MEMORY],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`seo-sandbox ${args.join(' ')} ended with ${code} before it listened.`)
    }),
  ])
  child.stdout.resume()
  const { url } = JSON.parse(line)
  return {
    url,
    /** Bytes in memory. */
    memory: async () => {
      child.send('memory')
      const [bytes] = await once(child, 'message')
      return bytes
    },
    /** Ends it with time to leave its coverage behind. */
    stop: async () => {
      child.disconnect()
      await stopProcess(child)
    },
  }
}

/** Ends a process that was started here, unless it has ended by itself. */
export async function stopProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

/**
 * Runs a command on a core to its end, or until it is interrupted after `endAfterMs`, and gives what it
 * printed.
 *
 * @throws where it fails.
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
