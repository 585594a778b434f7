import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { BIN } from '../../support/launch.ts'
import { freePort } from '../../support/free-port.js'
import { startProgram } from './program.js'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body, which must be JSON. */
  readonly body: any
}

export interface Message {
  method?: string
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Sends a request to a server. @throws if the connection ends without an answer. */
export async function ask(url: string, message: Message = {}): Promise<Answer> {
  const { token, body, headers, method = body === undefined ? 'GET' : 'POST' } = message
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    get body() {
      return JSON.parse(text)
    },
  }
}

/** Same as `ask`, but undefined if the connection ends without an answer. */
export function tryToAsk(url: string, message?: Message): Promise<Answer | undefined> {
  return ask(url, message).catch((error: unknown) => {
    // Error of fetch for a connection that fails.
    if (error instanceof TypeError) return undefined
    throw error
  })
}

/** A server in a process of its own, killed with its scope. */
export interface Replica extends AsyncDisposable {
  port: number
  url: string
  /** The first line of its log. */
  first: Record<string, any>
  stderr: () => string
  /** Kills it like a crash. */
  kill: () => Promise<void>
  /** Makes it end on its own, and returns its exit code. */
  stop: () => Promise<number | null>
  /** Stops and continues the process, which keeps its connections. */
  freeze: () => void
  thaw: () => void
  /** Restarts it on its port, after `kill` or `stop`. */
  start: () => Promise<void>
}

export interface ReplicaOptions {
  args?: string[]
  env?: Record<string, string>
  /** Program to run instead of this package's `bin/seo-sandbox.js`. */
  bin?: string
}

/** Limits above the rates of the tests, which are high on a busy machine. */
const LIMITS = ['--limits', 'requests=1000000', '--limits', 'costly=100000']

/**
 * Serves the worlds of a store, which accept all requests unless `args` say otherwise. @throws with the output on standard
 * error if the server does not start.
 */
export async function startReplica(
  store: string,
  { args = [], env = {}, bin = BIN }: ReplicaOptions = {},
): Promise<Replica> {
  const port = await freePort()
  const address = ['--store', store, '--port', String(port), '--json', '--quiet']
  const line = [bin, ...address, ...LIMITS, ...args]
  let child: ChildProcess
  let closed: Promise<number | null>
  let stderr = ''
  let first: Record<string, any> = {}
  const start = async () => {
    child = startProgram(process.execPath, line, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    closed = once(child, 'close').then(([code]) => code as number | null)
    const lines = createInterface(child.stdout!)
    const text = await Promise.race([once(lines, 'line').then(([read]) => String(read)), closed])
    if (typeof text !== 'string') throw new Error(`The replica has ended with ${text}: ${stderr}`)
    first = JSON.parse(text) as Record<string, any>
  }
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return closed
  }
  const kill = async () => {
    await end('SIGKILL')
  }
  await start()
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    get first() {
      return first
    },
    stderr: () => stderr,
    kill,
    stop: () => end('SIGTERM'),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    start,
    [Symbol.asyncDispose]: kill,
  }
}
