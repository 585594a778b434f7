import { randomUUID } from 'node:crypto'
import { hasTerminal, NPM_CHECK_MS, SAME_SIGNAL_MS } from '../stopping.ts'
import { RUN_VARIABLE } from './variables.ts'
import { endProcesses, killRun } from './processes.ts'
import type { EndedProcesses } from './processes.ts'
import { RunningCommand } from './running-command.ts'
import type { Exit } from './running-command.ts'
import { startCommand } from './start-command.ts'

export interface CommandOptions {
  env: NodeJS.ProcessEnv
  /** How long it may run; undefined without a limit. */
  timeoutMs: number | undefined
  /** Whether processes that it leaves running may continue. */
  leavesDaemons: boolean
  /** Whether npm, which runs this program, has ended; undefined where it makes no difference. */
  hasNpmEnded: (() => boolean) | undefined
}

/** How a command ended, and why. */
export interface CommandEnd extends Exit {
  /** Why it was ended; null if it ended on its own, or by a signal. */
  reason: 'timeout' | 'npm-ended' | null
  /** Whether it was killed, because a SIGTERM had not ended it. */
  isKilled: boolean
  /** The signals that this process and the command have received meanwhile. */
  received: ReadonlySet<NodeJS.Signals>
  /** What it left running. */
  processes: EndedProcesses
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a command with the standard streams of this process, and ends what it leaves running.
 *
 * @throws StartError if it cannot be started.
 */
export async function runCommand(
  line: readonly string[],
  { env, timeoutMs, leavesDaemons, hasNpmEnded }: CommandOptions,
): Promise<CommandEnd> {
  // In a process group of its own it could not read from a terminal.
  const isOnTerminal = hasTerminal()
  const hasSession = !isOnTerminal && process.platform !== 'win32'
  const mark = randomUUID()
  const marks = [env[RUN_VARIABLE] ?? [], mark].flat().join(' ')

  let command: RunningCommand | undefined
  let killAll = () => {}
  let receivedMs = -Infinity
  const received = new Set<NodeJS.Signals>()
  // Also before the command starts, so that no part of the run goes on.
  for (const signal of FORWARDED) {
    // From a command that ran before.
    process.removeAllListeners(signal)
    process.on(signal, () => {
      const isSame = performance.now() - receivedMs < SAME_SIGNAL_MS
      if (command?.hasEnded && !isSame) {
        killAll()
        process.removeAllListeners(signal)
        process.kill(process.pid, signal)
      }
      received.add(signal)
      if (!isSame) receivedMs = performance.now()
      // Ctrl-C has reached every program in the foreground of the terminal.
      if (signal !== 'SIGINT' || !isOnTerminal) command?.signal(signal)
    })
  }
  const child = await startCommand(line, { env: { ...env, [RUN_VARIABLE]: marks }, hasSession })
  const run = { pid: child.pid as number, mark, hasSession }
  command = new RunningCommand(child, run)
  // An unexpected error leaves nothing behind either.
  killAll = () => killRun(run)
  process.once('exit', killAll)

  let reason: CommandEnd['reason'] = null
  const end = (why: 'timeout' | 'npm-ended') => {
    if (reason !== null) return
    reason = why
    command.signal('SIGTERM')
  }
  const timeout = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, 'timeout')
  const npm = hasNpmEnded && setInterval(() => hasNpmEnded() && end('npm-ended'), NPM_CHECK_MS)
  const exit = await command.ended
  clearTimeout(timeout)
  clearInterval(npm)
  const processes = leavesDaemons ? { ended: [], left: [] } : await endProcesses(run)
  process.off('exit', killAll)
  killAll = () => {}
  return { ...exit, reason, isKilled: command.isKilled, received, processes }
}
