import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from 'redis'
import { clockOf } from './fake-clock.js'
import { freePort } from '../../support/free-port.js'
import { startProgram } from './program.js'

const DEFAULTS = {
  bind: '127.0.0.1',
  save: '',
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
}

/** Returns the reason why Redis cannot be started here; undefined if it can. */
export function whyNoRedis() {
  const { error } = spawnSync('redis-server', ['--version'])
  return error && 'It needs Redis 7: apt-get install redis-server.'
}

/**
 * Starts a redis-server on a free port of loopback, with its data in a temporary folder.
 *
 * @param config Settings as in redis.conf, in addition to an append-only file that is written at each command.
 * @param hasClock True if its clock can be moved.
 */
export async function startRedis({ config = {}, hasClock = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-redis-'))
  const port = await freePort()
  const clock = join(folder, 'clock')
  await writeFile(clock, '+0')
  const env = { PATH: process.env.PATH, ...(hasClock && clockOf(clock)) }
  const settings = Object.entries({ ...DEFAULTS, port, dir: folder, ...config })
  const args = settings.flatMap(([name, value]) => [`--${name}`, String(value)])

  let server
  let closed
  const start = async () => {
    server = startProgram('redis-server', args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    closed = once(server, 'close')
    const printed = []
    for await (const line of createInterface(server.stdout)) {
      if (line.includes('Ready to accept connections')) {
        server.stdout.resume()
        return
      }
      printed.push(line)
    }
    throw new Error(`redis-server has ended:\n${printed.join('\n')}`)
  }
  const end = async (signal) => {
    server.kill(signal)
    await closed
  }
  await start()
  const stop = async () => {
    await end('SIGKILL')
    await rm(folder, { recursive: true })
  }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return server.pid
    },
    command: (...words) => sendCommand(port, words),
    /** Kills it like a crash; data that it has written stays. */
    kill: () => end('SIGKILL'),
    /** Restarts it with its data and its port. */
    start,
    /** Stops and continues the process, which keeps its connections. */
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    /** Moves its clock to another time. */
    setClock: (seconds) => writeFile(clock, seconds < 0 ? String(seconds) : `+${seconds}`),
    /** Cuts bytes off the end of its append-only file, like a power loss. It must not be running. */
    cutLog: (bytes) => cutEnd(join(folder, 'appendonlydir'), bytes),
    /** Ends it, and removes its data. */
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Sends one command on a connection of its own. */
async function sendCommand(port, words) {
  const client = createClient({
    url: `redis://127.0.0.1:${port}`,
    socket: { reconnectStrategy: false },
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(words.map(String))
  } finally {
    client.destroy()
  }
}

async function cutEnd(folder, bytes) {
  const names = await readdir(folder)
  const last = names
    .filter((name) => name.endsWith('.incr.aof'))
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .at(-1)
  const file = join(folder, last)
  const { size } = await stat(file)
  await truncate(file, Math.max(0, size - bytes))
}

/** The number in a name like `appendonly.aof.3.incr.aof`. */
function numberOf(name) {
  return Number(name.split('.').at(-3))
}
