import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Writable } from 'node:stream'
import type { Outcome } from './cli.ts'
import { BIN } from './launch.ts'

type Line = [program: string, ...args: string[]]

/** The program without its options. */
export const EXEC: Line = [process.execPath, BIN, 'exec']

/** The command line of a script for Node. */
export function node(script: string): Line {
  return [process.execPath, '-e', script]
}

/** A command that ends only when it is killed. */
export const HANGS = node('setInterval(() => {}, 60_000)')

/** A run of `seo-sandbox exec`; its remaining processes are killed with its scope. */
export interface ExecRun extends AsyncDisposable {
  stdin: Writable
  /** Waits until its output matches, by default on standard output. */
  until: (pattern: RegExp, stream?: 'stdout' | 'stderr') => Promise<RegExpExecArray>
  /** Sends a signal to this process alone. */
  signal: (signal: NodeJS.Signals) => void
  /** Settles when it has ended. */
  exit: Promise<unknown>
  /** Resolves when no process has its output open any more, which its children inherit. */
  outcome: Promise<Outcome>
  /** The command lines of its processes that still run; none without a `/proc`. */
  running: () => string[]
}

interface ExecOptions {
  cwd?: string
  env?: Record<string, string>
  /** The command line that starts it; by default Node. */
  line?: Line
}

/** Runs `seo-sandbox exec` with these arguments, whose standard input stays open. */
export function exec(
  args: readonly string[],
  { cwd = tmpdir(), env = {}, line = EXEC }: ExecOptions = {},
): ExecRun {
  const mark = randomUUID()
  const [program, ...first] = line
  const child = spawn(program, [...first, ...args], {
    cwd,
    // If standard input is a socket, bash reads the .bashrc of the user.
    env: { PATH: process.env['PATH'], HOME: cwd, RUN_OF_TEST: mark, ...env },
    stdio: 'pipe',
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text
    child.emit('written')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text
    child.emit('written')
  })
  const outcome = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }))
  return {
    stdin: child.stdin,
    exit: once(child, 'exit'),
    until: async (pattern, stream = 'stdout') => {
      for (;;) {
        const match = pattern.exec(texts[stream])
        if (match) return match
        const isOver = await Promise.race([once(child, 'written').then(() => false), outcome])
        if (isOver) throw new Error(`It ended: ${JSON.stringify(isOver)}`)
      }
    },
    signal: (signal) => child.kill(signal),
    outcome,
    running: () => findProcesses(mark).map(({ line: words }) => words),
    [Symbol.asyncDispose]: async () => {
      for (const { pid } of findProcesses(mark)) process.kill(pid, 'SIGKILL')
      child.kill('SIGKILL')
      await outcome
    },
  }
}

/** The processes that have a text in their environment. */
function findProcesses(text: string): { pid: number; line: string }[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc').flatMap((entry) => {
    const read = (file: string) => readFileSync(`/proc/${entry}/${file}`, 'utf8')
    try {
      if (!/^\d+$/.test(entry) || !read('environ').includes(text)) return []
      return [{ pid: Number(entry), line: read('cmdline').replaceAll('\0', ' ').trim() }]
    } catch {
      // The process has ended, or is another user's.
      return []
    }
  })
}
