import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { withoutControls } from '../../contract/text.ts'
import { readProcFile, readProcStat } from '../proc-stat.ts'

/** Data that identifies the processes of a started command. */
export interface Run {
  pid: number
  /** Random string in the environment of every process of the run. */
  mark: string
  /** True if the command has a session, and thus a process group, of its own. */
  hasSession: boolean
}

export interface RunProcess {
  /** The pid; without `/proc`, the negated id of the process group. */
  pid: number
  name: string
}

const HAS_PROC = existsSync('/proc/self/environ')

/**
 * Returns the processes of a run. With `/proc`, they are those of its session, and any others with its mark, such as
 * daemons. Without `/proc`, the only possible entry is the process group of the run.
 */
function findProcesses(run: Run): RunProcess[] {
  if (HAS_PROC) return readdirSync('/proc').flatMap((entry) => findProcess(Number(entry), run))
  if (!run.hasSession || !send(-run.pid, 0)) return []
  return [{ pid: -run.pid, name: 'its process group' }]
}

function findProcess(pid: number, run: Run): RunProcess[] {
  const stat = Number.isInteger(pid) ? readProcStat(pid) : undefined
  if (stat === undefined || /[ZX]/.test(stat.state)) return []
  const isOfSession = run.hasSession && stat.session === run.pid
  if (!isOfSession && !readProcFile(`${pid}/environ`)?.includes(run.mark)) return []
  // The arguments are left out, because they may contain secrets.
  const [program = ''] = (readProcFile(`${pid}/cmdline`) ?? '').split(/[\0\s]/)
  return [{ pid, name: withoutControls(basename(program) || stat.name) }]
}

/**
 * Sends a signal to the command, or to its process group if it has its own. On Windows, kills its process tree instead,
 * except for Ctrl-C and Ctrl-Break.
 */
export function signalCommand({ pid, hasSession }: Run, signal: NodeJS.Signals): void {
  if (process.platform !== 'win32') {
    send(hasSession ? -pid : pid, signal)
  } else if (signal !== 'SIGINT' && signal !== 'SIGBREAK') {
    // On Windows, Ctrl-C and Ctrl-Break have already reached every program in the console.
    spawnSync('taskkill', ['/T', '/F', '/PID', String(pid)])
  }
}

export function killRun(run: Run): void {
  signalCommand(run, 'SIGKILL')
  for (const { pid } of findProcesses(run)) send(pid, 'SIGKILL')
}

/** Time for remaining processes to end on their own, such as a `tee` at the end of a pipe, in milliseconds. */
const SETTLE_MS = 500

/** Time for processes to end after SIGTERM, and again after SIGKILL, in milliseconds. */
export const GRACE_MS = 5000

/** Processes that were still running when their command ended. */
export interface EndedProcesses {
  ended: RunProcess[]
  /** Processes that could not be ended, such as those of another user. */
  left: RunProcess[]
}

/** Ends the processes that a command left running: waits for them, then sends SIGTERM, then SIGKILL. */
export async function endProcesses(run: Run): Promise<EndedProcesses> {
  const found = await untilEnded(run, { withinMs: SETTLE_MS })
  if (found.length === 0) return { ended: [], left: [] }
  await untilEnded(run, { withinMs: GRACE_MS, signal: 'SIGTERM' })
  const left = await untilEnded(run, { withinMs: GRACE_MS, signal: 'SIGKILL' })
  return { ended: found.filter(({ pid }) => !left.some((other) => other.pid === pid)), left }
}

const CHECK_MS = 25

/**
 * Sends a signal, if any, to each process of a run, and waits for all of them to end. Returns those still running after
 * `withinMs` milliseconds.
 */
async function untilEnded(
  run: Run,
  { withinMs, signal = 0 }: { withinMs: number; signal?: NodeJS.Signals | 0 },
): Promise<RunProcess[]> {
  const deadlineMs = performance.now() + withinMs
  const signalled = new Set<number>()
  for (;;) {
    const seen = findProcesses(run)
    // Listed twice: a process that starts during the first listing could be missed if its parent has already ended.
    const found = seen.length > 0 ? seen : findProcesses(run)
    if (found.length === 0 || performance.now() > deadlineMs) return found
    for (const { pid } of found.filter((other) => !signalled.has(other.pid))) {
      send(pid, signal)
      signalled.add(pid)
    }
    await wait(CHECK_MS)
  }
}

/** Sends a signal to a process, or to a process group if `pid` is negative. Returns false if there is no such process. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // EPERM means that the process exists but belongs to another user, as with sudo.
    if (code === 'ESRCH' || code === 'EPERM') return code === 'EPERM'
    throw error
  }
}
