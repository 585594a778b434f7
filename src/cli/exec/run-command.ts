import { setTimeout as wait } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { hasTerminal, NPM_CHECK_MS, SAME_SIGNAL_MS, STOP_REASONS } from '../stopping.ts'
import { toSignalCode, EXEC_EXIT_CODES } from './exec-options.ts'
import { endProcesses, killRun, GRACE_MS, signalCommand } from './processes.ts'
import type { EndedProcesses, Run, RunProcess } from './processes.ts'
import { startCommand } from './start-command.ts'

export interface CommandOptions {
  env: NodeJS.ProcessEnv
  /** Time limit, in milliseconds; undefined for no limit. */
  timeoutMs: number | undefined
  /** True to leave background processes of the command running. */
  leavesDaemons: boolean
  /** Result of `watchNpm`: returns true if npm has ended; undefined if npm is not watched. */
  hasNpmEnded: (() => boolean) | undefined
  /**
   * Receives the output of the command. The command then has no input and, except on Windows, its own process group. If
   * omitted, the command inherits our standard streams.
   */
  output?: (chunk: Buffer) => void
  onStart?: (command: StartedCommand) => void
  /** Signal handling shared by successive commands; created for this command if omitted. */
  signals?: ForwardedSignals
}

export interface StartedCommand {
  restartTimeout: () => void
  /** Ends the command as if its time limit had passed: with SIGTERM, and with the reason `timeout`. */
  giveUp: () => void
  /** Immediately kills the command and all processes that it has started. */
  kill: () => void
}

export interface CommandEnd extends Exit {
  /** Reason why this program ended the command; null if the command ended by itself, or by a signal from elsewhere. */
  reason: 'timeout' | 'npm-ended' | null
  /** True if the command was killed because SIGTERM had not ended it. */
  isKilled: boolean
  received: ReadonlySet<NodeJS.Signals>
  processes: EndedProcesses
}

/** Maximum wait for the last output after the command and its processes have ended, in milliseconds. */
const LAST_OUTPUT_MS = 500

/**
 * Runs a command, and then ends the processes that it leaves running, unless `leavesDaemons` is set.
 *
 * @throws StartError if the command cannot be started.
 */
export async function runCommand(
  line: readonly string[],
  {
    env,
    timeoutMs,
    leavesDaemons,
    hasNpmEnded,
    output,
    onStart,
    signals: sharedSignals,
  }: CommandOptions,
): Promise<CommandEnd> {
  // In a process group of its own, the command could not read from a terminal.
  const isOnTerminal = output === undefined && hasTerminal()
  const hasSession = !isOnTerminal && process.platform !== 'win32'

  // Created before the command starts, so that an early signal does not end this process.
  const signals = sharedSignals ?? new ForwardedSignals({ isShared: isOnTerminal })
  const { child, run, printing, closed } = await startCommand(line, {
    env,
    hasSession,
    ...(output && { output }),
  })
  const command = new RunningCommand(child, run)
  // Also called when this process exits after an unexpected error, so that no process is left behind.
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
  onStart?.({
    restartTimeout: () => timeout?.refresh(),
    giveUp: () => end('timeout'),
    kill: killAll,
  })
  const npm = hasNpmEnded && setInterval(() => hasNpmEnded() && end('npm-ended'), NPM_CHECK_MS)
  const exit = await command.ended
  clearTimeout(timeout)
  clearInterval(npm)
  const processes = leavesDaemons ? { ended: [], left: [] } : await endProcesses(run)
  // A process that is still running may keep the output open.
  if (output) await Promise.race([closed, wait(LAST_OUTPUT_MS, undefined, { ref: false })])
  for (const stream of printing) stream.destroy()
  process.off('exit', killAll)
  signals.passTo(command, () => {})
  return { ...exit, reason, isKilled: command.isKilled, received: signals.received, processes }
}

export interface Exit {
  /** Null if a signal ended the command. */
  code: number | null
  signal: NodeJS.Signals | null
}

export class RunningCommand {
  readonly ended: Promise<Exit>
  isKilled = false
  hasEnded = false

  readonly #run: Run
  #deadline: NodeJS.Timeout | undefined
  #giveUp: () => void = () => {}

  constructor(child: ChildProcess, run: Run) {
    this.#run = run
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
      this.#giveUp = () => {
        child.unref()
        resolve({ code: null, signal: 'SIGKILL' })
      }
    })
    this.ended = exited.finally(() => {
      this.hasEnded = true
      clearTimeout(this.#deadline)
    })
  }

  /** Sends a signal to the command. After SIGTERM, kills the command unless it ends within `GRACE_MS`. */
  signal(signal: NodeJS.Signals): void {
    if (this.hasEnded) return
    signalCommand(this.#run, signal)
    if (signal === 'SIGTERM') this.#deadline ??= setTimeout(() => this.#kill(), GRACE_MS)
  }

  #kill(): void {
    this.isKilled = true
    signalCommand(this.#run, 'SIGKILL')
    // SIGKILL does not end a process of another user, or one that waits for a device.
    this.#deadline = setTimeout(this.#giveUp, GRACE_MS)
  }
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

interface ForwardOptions {
  /** True if the terminal also sends Ctrl-C to the command. */
  isShared?: boolean
  /** True if more commands follow. The first signal is then passed on and ends the series; a second one kills the command. */
  isSeries?: boolean
}

/** Passes the signals that this process receives on to the running command. */
export class ForwardedSignals {
  readonly received = new Set<NodeJS.Signals>()
  readonly #options: ForwardOptions
  #command: RunningCommand | undefined
  #killAll: () => void = () => {}
  /** Signals that arrived while no command was running. */
  readonly #waiting = new Set<NodeJS.Signals>()
  #receivedMs = -Infinity

  constructor(options: ForwardOptions) {
    this.#options = options
    for (const signal of FORWARDED) {
      // An earlier command may have left listeners.
      process.removeAllListeners(signal)
      process.on(signal, () => this.#receive(signal))
    }
  }

  /**
   * Passes signals to this command from now on, including those that arrived since the previous command ended.
   * `killAll` must immediately kill the command and all processes that it has started.
   */
  passTo(command: RunningCommand, killAll: () => void): void {
    this.#command = command
    this.#killAll = killAll
    for (const signal of this.#waiting) command.signal(signal)
    this.#waiting.clear()
  }

  #receive(signal: NodeJS.Signals): void {
    const isSame = performance.now() - this.#receivedMs < SAME_SIGNAL_MS
    const isRunning = this.#command?.hasEnded === false
    const isLast = this.#options.isSeries
      ? this.received.size > 0
      : this.#command?.hasEnded === true
    if (isLast && !isSame) {
      this.#killAll()
      if (isRunning) return
      process.removeAllListeners(signal)
      // On Windows a process cannot send itself every signal that it may receive.
      if (process.platform === 'win32') process.exit(toSignalCode(signal))
      process.kill(process.pid, signal)
    }
    this.received.add(signal)
    if (!isSame) this.#receivedMs = performance.now()
    // Ctrl-C has already reached every program in the foreground of the terminal.
    if (signal === 'SIGINT' && this.#options.isShared) return
    if (isRunning) this.#command?.signal(signal)
    else this.#waiting.add(signal)
  }
}

export function toExitCode({ code, signal, reason }: CommandEnd): number {
  if (reason === 'timeout') return EXEC_EXIT_CODES.timedOut
  if (signal !== null) return toSignalCode(signal)
  return code ?? EXEC_EXIT_CODES.failed
}

/**
 * Describes the end of a command in sentences. Empty if the command left nothing running, and ended by itself or by a
 * signal that this process also received.
 */
export function describeEnd(end: CommandEnd): string[] {
  const left = describeLeft(end, ' With --leave-daemons they keep running.')
  return [describeExit(end), ...left].filter((sentence) => sentence !== undefined)
}

/**
 * Describes the processes that a command left running, in sentences. `remedy` is appended to the sentence about
 * processes that were ended.
 */
export function describeLeft({ processes: { ended, left } }: CommandEnd, remedy = ''): string[] {
  return [
    ...(ended.length > 0
      ? [`The command left processes running, which were ended: ${list(ended)}.${remedy}`]
      : []),
    ...(left.length > 0
      ? [`These processes could not be ended: ${list(left)}. End them by hand.`]
      : []),
  ]
}

function describeExit({ signal, reason, isKilled, received }: CommandEnd): string | undefined {
  const how = isKilled ? 'killed, because SIGTERM did not end it' : 'ended'
  if (reason === 'timeout') return `The command took longer than --timeout allows, and was ${how}.`
  if (reason === 'npm-ended') return STOP_REASONS[reason]
  if (isKilled) return `The command was ${how}.`
  if (signal === null || received.has(signal)) return undefined
  return `The command was ended by ${signal}.`
}

function list(processes: readonly RunProcess[]): string {
  return processes.map(({ pid, name }) => `${name} (${pid})`).join(', ')
}

/** Returns the `ended` event for `--json`. `code` is the exit code of this process. */
export function toEndEvent({ signal, reason, isKilled, processes }: CommandEnd, code: number) {
  return {
    event: 'ended',
    code,
    signal,
    reason,
    killed: isKilled,
    processes_ended: processes.ended,
    processes_left: processes.left,
  }
}
