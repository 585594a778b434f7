import { Socket } from 'node:net'
import { finished } from 'node:stream'
import { isatty } from 'node:tty'
import { OptionError } from '../world/options/option-error.ts'
import { readProcStat } from './proc-stat.ts'

/** Reasons for stopping a server: the names in the log of `--json`, with the sentences of the plain log. */
export const STOP_REASONS = {
  SIGINT: 'Stopped by SIGINT.',
  SIGTERM: 'Stopped by SIGTERM.',
  SIGBREAK: 'Stopped by SIGBREAK.',
  'stdin-closed': 'Stopped because its standard input was closed (--stdin-close).',
  'npm-ended': 'Stopped because npm, which started it, has ended.',
} as const
export type StopReason = keyof typeof STOP_REASONS

/** Conditions that stop a server, besides signals. */
export interface StopConditions {
  /** Standard input, if its end stops the server; otherwise undefined. */
  stdin: Socket | undefined
  /** Returns true if npm has ended; undefined if the end of npm does not stop the server. */
  hasNpmEnded: (() => boolean) | undefined
}

/**
 * Returns the conditions, and begins to watch npm. Call this first, to notice if npm ends while fixtures are loading.
 *
 * @throws OptionError if `stdinClose` is set, and standard input is neither a pipe nor a socket.
 */
export function findStopConditions(stdinClose: boolean): StopConditions {
  return { stdin: stdinClose ? openStdin() : undefined, hasNpmEnded: watchNpm() }
}

function openStdin(): Socket {
  const { stdin } = process
  if (stdin instanceof Socket && !stdin.isTTY) return stdin
  throw new OptionError(
    '--stdin-close: Standard input is neither a pipe nor a socket, so no program can close it. Start it with a pipe as its standard input, or leave --stdin-close out.',
  )
}

/** Lists the possible stop reasons under these conditions, for the first line of `--json`. */
export function toStopReasons({ stdin, hasNpmEnded }: StopConditions): StopReason[] {
  return [
    ...(stdin ? ['stdin-closed' as const] : []),
    ...(hasNpmEnded ? ['npm-ended' as const] : []),
  ]
}

export const NPM_CHECK_MS = 500
const INTERRUPTED = 130

/** SIGBREAK is Ctrl-Break, by which a program on Windows can ask another one to stop. Other systems never send it. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const

/**
 * Signals within this interval are treated as one. npm passes on a signal that this process also receives from the
 * terminal, or from a kill of the process group.
 */
export const SAME_SIGNAL_MS = 300

/** Calls `stop` at the first condition or signal, and not again. A second signal ends the process immediately. */
export function stopOn(
  { stdin, hasNpmEnded }: StopConditions,
  stop: (reason: StopReason) => void,
): void {
  let isStopping = false
  const stopOnce = (reason: StopReason) => {
    if (!isStopping) stop(reason)
    isStopping = true
  }

  let isDetached = false
  const stopWithoutNpm = () => {
    if (!isDetached) stopOnce('npm-ended')
  }
  const checkNpm = () => {
    // Deferred, so that a signal to both npm and this process is handled first.
    if (hasNpmEnded?.()) setImmediate(stopWithoutNpm)
  }
  if (hasNpmEnded) setInterval(checkNpm, NPM_CHECK_MS).unref()

  let interruptedMs = Infinity
  const interrupt = (signal: (typeof STOP_SIGNALS)[number]) => {
    if (performance.now() - interruptedMs > SAME_SIGNAL_MS) process.exit(INTERRUPTED)
    interruptedMs = Math.min(interruptedMs, performance.now())
    stopOnce(signal)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, interrupt)
  // nohup makes a program ignore SIGHUP, but Node restores the default action. SIGHUP therefore ends npm, which is a Node
  // program, and this server has to outlive it.
  if (!hasTerminal()) {
    process.on('SIGHUP', () => {
      isDetached = true
    })
  }

  if (stdin) {
    finished(stdin, () => stopOnce('stdin-closed'))
    stdin.resume().unref()
  }
}

/** True if a standard stream is a terminal, whose closing sends SIGHUP. */
export function hasTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor))
}

const NAME = 'seo-sandbox'

/**
 * Matches a script that leaves programs running: by `&`, except in `&&`, `|&` and redirections like `2>&1`, or by a program
 * that detaches another.
 */
const LEAVES_RUNNING = /(?<![&|<>])&(?![&>])|\b(?:nohup|setsid)\b/

/**
 * True if npm or npx runs this program and waits for it. False for a program that a script leaves in the background, or that
 * another program started: such a program outlives npm.
 */
export function isRunByNpm({
  npm_command: command,
  npm_lifecycle_script: script = NAME,
}: NodeJS.ProcessEnv): boolean {
  return command !== undefined && script.includes(NAME) && !LEAVES_RUNNING.test(script)
}

/**
 * Returns a function that tells if npm has ended; undefined if npm does not run this program, and on Windows, where the
 * parent's pid does not change.
 */
export function watchNpm(): (() => boolean) | undefined {
  if (process.platform === 'win32' || !isRunByNpm(process.env)) return undefined
  const parent = process.ppid
  const npm = parentOfShell(parent)
  const isShellOrphaned = () => npm !== undefined && (parentOfShell(parent) ?? npm) !== npm
  return () => process.ppid !== parent || isShellOrphaned()
}

/**
 * Returns the pid of the parent of a shell; undefined if the process is not a shell, or without /proc. npm starts programs
 * through `sh`, which may remain their parent, even after npm is killed.
 */
function parentOfShell(pid: number): number | undefined {
  const { name = '', parent } = readProcStat(pid) ?? {}
  return /sh$|^busybox$/.test(name) ? parent : undefined
}
