import { fork } from 'node:child_process'
import { once } from 'node:events'
import { onCore, SERVER_CORE } from './processes.js'

/** Third-party servers, measured unmodified. */

const LOOPBACK = new URL('loopback.js', import.meta.url).href
const PATIENCE_MS = 30_000

/**
 * Starts a program in its own process, and waits until it listens; its output is discarded.
 *
 * @throws if it exits or does not listen, with its error output.
 */
export async function startProgram(file, args, { node, folder, env = {} }) {
  const [execPath, execArgv] = onCore(SERVER_CORE, node, ['--import', LOOPBACK])
  const child = fork(file, args, {
    execPath,
    execArgv,
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  try {
    const port = await listening(child)
    return { port, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The port that a program reports. */
async function listening(child) {
  let said = ''
  const listen = (piece) => {
    said += piece
  }
  child.stderr.setEncoding('utf8').on('data', listen)
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const [port] = await Promise.race([
    once(child, 'message', { signal }),
    once(child, 'close', { signal }).then(([code]) => {
      throw new Error(`It ended with ${code} before it listened${firstError(said)}.`)
    }),
  ]).catch((error) => {
    if (!signal.aborted) throw error
    throw new Error(`It did not listen within ${PATIENCE_MS / 1000} s.`)
  })
  child.stderr.off('data', listen).resume()
  return port
}

/** The first line with an error in the output of a failed program. */
function firstError(said) {
  const line = said.split('\n').find((text) => /error/i.test(text))
  return line ? `: ${line.trim()}` : ''
}
