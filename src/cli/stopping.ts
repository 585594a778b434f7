import { Socket } from 'node:net'
import { finished } from 'node:stream'
import { isatty } from 'node:tty'
import { OptionError } from '../world/options/option-error.ts'
import { readProcStat } from './proc-stat.ts'

/** Reasons that a server stops: the name in the log of `--json`, and the sentence in the plain log. */
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
  /** Returns true if npm has ended; undefined if that makes no difference. */
  hasNpmEnded: (() => boolean) | undefined
}

/**
 * Finds the conditions. Call this first, to notice if npm ends while the fixtures are loaded.
 *
 * @throws OptionError if nobody could close standard input.
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

/** Returns the conditions by the names of their reasons, for the first line of `--json`. */
export function toStopReasons({ stdin, hasNpmEnded }: StopConditions): StopReason[] {
  return [
    ...(stdin ? ['stdin-closed' as const] : []),
    ...(hasNpmEnded ? ['npm-ended' as const] : []),
  ]
}

/** Interval between checks for the end of npm, in milliseconds. */
export const NPM_CHECK_MS = 500
const INTERRUPTED = 130

/** SIGBREAK is Ctrl-Break, by which a program on Windows can ask another one to stop. It never comes elsewhere. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const

/** Milliseconds within which npm passes on a signal that a terminal, or a kill of its group, has sent to this process too. */
export const SAME_SIGNAL_MS = 300

/** Calls `stop` once. A second signal ends the process at once. */
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
    // A signal that ended npm and is sent to this process too is handled first.
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
  // nohup ignores SIGHUP, but Node restores its default action, so it ends npm, which is a Node program.
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

/** Without a terminal, as under nohup, the closing of one does not matter. */
export function hasTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor))
}

const NAME = 'seo-sandbox'

/** `&`, but not `&&`, `|&` or a redirection like `2>&1`, and the programs that detach another one. */
const LEAVES_RUNNING = /(?<![&|<>])&(?![&>])|\b(?:nohup|setsid)\b/

/**
 * True if npm, npx included, runs this program and waits for it. Programs that a script leaves running in the background,
 * and programs started by another one that npm runs, outlive npm.
 */
export function isRunByNpm({
  npm_command: command,
  npm_lifecycle_script: script = NAME,
}: NodeJS.ProcessEnv): boolean {
  return command !== undefined && script.includes(NAME) && !LEAVES_RUNNING.test(script)
}

/**
 * Returns a function that returns true if npm has ended since; undefined if npm does not run this program, and on
 * Windows, because the parent's pid stays the same there.
 */
export function watchNpm(): (() => boolean) | undefined {
  if (process.platform === 'win32' || !isRunByNpm(process.env)) return undefined
  const parent = process.ppid
  const npm = parentOfShell(parent)
  const isShellOrphaned = () => npm !== undefined && (parentOfShell(parent) ?? npm) !== npm
  return () => process.ppid !== parent || isShellOrphaned()
}

/**
 * Returns the pid of the parent of a shell; undefined for another process, and without /proc. npm starts programs through `sh`,
 * which may wait for the program instead of becoming it, even when npm is killed.
 */
function parentOfShell(pid: number): number | undefined {
  const { name = '', parent } = readProcStat(pid) ?? {}
  return /sh$|^busybox$/.test(name) ? parent : undefined
}
