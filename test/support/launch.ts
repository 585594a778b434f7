import { spawn } from 'node:child_process'
import type { ChildProcess, StdioPipeNamed, StdioNull } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Socket } from 'node:net'
import { NPM_CHECK_MS } from '../../src/cli/stopping.ts'
import { fromRoot } from './cli.ts'

export const BIN = fromRoot('bin/seo-sandbox.js')

/** Each response of the API takes longer than the server takes to notice that npm has ended. */
export const FLAGS = ['--port', '0', '--json', '--latency', String(NPM_CHECK_MS + 100)]

interface LaunchOptions {
  cwd?: string
  env?: Record<string, string>
  stdin?: StdioPipeNamed | StdioNull | Socket
  /** True if the server leaves the process group of the command. */
  isDetaching?: boolean
}

/** A command that starts a server with --json, and that server. The remaining processes of both are killed with the scope. */
export interface Launched extends AsyncDisposable {
  command: ChildProcess
  /** The exit code of the command; null if a signal ended it. */
  code: Promise<number | null>
  stdin: Writable
  /** Sends a signal to the process group of the command, as a terminal does. */
  signalGroup: (signal: NodeJS.Signals) => void
  /** The first line of the log. */
  first: { url: string; pid: number; stops_when: string[] }
  /** The first event of a name, once it has happened. */
  next: (name: string) => Promise<Record<string, unknown>>
  /** The server's reason for stopping, once it and the command have ended. */
  reason: Promise<string | undefined>
}

/** Runs a command in its own process group until the server that it starts listens. */
export async function launch(
  [program, ...args]: [string, ...string[]],
  { cwd, env = {}, stdin = 'pipe', isDetaching = false }: LaunchOptions = {},
): Promise<Launched> {
  const command = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: [stdin, 'pipe', 'pipe'],
    detached: true,
  })
  let stderr = ''
  command.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const events: Record<string, any>[] = []
  const stdout = command.stdout as Readable
  const lines = createInterface(stdout)
  lines.on('line', (line) => {
    if (line.startsWith('{')) events.push(JSON.parse(line) as Record<string, any>)
  })
  const closed = once(stdout, 'close').then(() => false)
  const exited = once(command, 'exit')
  while (events.length === 0) {
    const isOpen = await Promise.race([once(lines, 'line').then(() => true), closed])
    if (!isOpen) throw new Error(`It ended: ${stderr}`)
  }
  const first = events[0] as Launched['first']
  const next = async (name: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = events.find(({ event }) => event === name)
      if (found) return found
      await once(lines, 'line')
    }
  }
  const { pid } = command
  if (pid === undefined) throw new Error(`${program} was not started.`)
  return {
    command,
    code: exited.then(([code]) => code as number | null),
    stdin: command.stdin as Writable,
    signalGroup: (signal) => process.kill(-pid, signal),
    first,
    next,
    reason: closed.then(() => events.find(({ event }) => event === 'stopping')?.['reason']),
    [Symbol.asyncDispose]: async () => {
      kill(isDetaching ? first.pid : -pid, 'SIGKILL')
      await closed
    },
  }
}

/** Sends a signal to a process, or to the process group of a negative pid; nothing if it has ended. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** True if it still serves requests after its next check that npm has ended. */
export async function staysUp({ first: { url } }: Launched): Promise<boolean> {
  const headers = { authorization: 'Bearer sandbox-unlimited' }
  const delayed = await fetch(`${url}/api/v1/me`, { headers })
  const health = await fetch(`${url}/_sandbox/health`)
  return delayed.ok && health.ok
}
