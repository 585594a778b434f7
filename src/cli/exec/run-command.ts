import { setTimeout as wait } from 'node:timers/promises'
import { hasTerminal, NPM_CHECK_MS } from '../stopping.ts'
import { ForwardedSignals } from './forwarded-signals.ts'
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
  /** Takes what it prints; this process's streams where omitted. It then has no input, and always a process group of its own. */
  output?: (chunk: Buffer) => void
  /** For several commands that run one after the other; the command has its own where omitted. */
  signals?: ForwardedSignals
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

/** How long the last of the output may take once everything has ended. */
const LAST_OUTPUT_MS = 500

/**
 * Runs a command with the standard streams of this process, or with its output elsewhere, and ends what it leaves running.
 *
 * @throws StartError if it cannot be started.
 */
export async function runCommand(
  line: readonly string[],
  { env, timeoutMs, leavesDaemons, hasNpmEnded, output, signals: given }: CommandOptions,
): Promise<CommandEnd> {
  // In a process group of its own it could not read from a terminal.
  const isOnTerminal = output === undefined && hasTerminal()
  const hasSession = !isOnTerminal && process.platform !== 'win32'

  // Before the command starts, so that a signal stops it even then.
  const signals = given ?? new ForwardedSignals({ isShared: isOnTerminal })
  const { child, run, printing, closed } = await startCommand(line, {
    env,
    hasSession,
    ...(output && { output }),
  })
  const command = new RunningCommand(child, run)
  // So that an unexpected error leaves nothing behind either.
  const killAll = () => killRun(run)
  process.once('exit', killAll)
  signals.passTo(command, killAll)

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
  // What could not be ended may hold its output open.
  if (output) await Promise.race([closed, wait(LAST_OUTPUT_MS, undefined, { ref: false })])
  for (const stream of printing) stream.destroy()
  process.off('exit', killAll)
  signals.passTo(command, () => {})
  return { ...exit, reason, isKilled: command.isKilled, received: signals.received, processes }
}
