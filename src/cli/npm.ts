import { readProcStat } from './proc-stat.ts'

const NAME = 'seo-sandbox'

/** `&`, but not `&&`, `|&` or a redirection like `2>&1`, and the programs that detach another one. */
const LEAVES_RUNNING = /(?<![&|<>])&(?![&>])|\b(?:nohup|setsid)\b/

/**
 * Whether npm, npx included, runs this program and waits for it. What a script leaves running in the background, and
 * what is started by another program that npm runs, outlives npm.
 */
export function isRunByNpm({
  npm_command: command,
  npm_lifecycle_script: script = NAME,
}: NodeJS.ProcessEnv): boolean {
  return command !== undefined && script.includes(NAME) && !LEAVES_RUNNING.test(script)
}

/**
 * Returns a function that says whether npm has ended since; undefined where npm does not run this program. On Windows
 * that is never known, because the parent's pid stays the same.
 */
export function watchNpm(): (() => boolean) | undefined {
  if (process.platform === 'win32' || !isRunByNpm(process.env)) return undefined
  const parent = process.ppid
  const npm = parentOfShell(parent)
  const isShellOrphaned = () => npm !== undefined && (parentOfShell(parent) ?? npm) !== npm
  return () => process.ppid !== parent || isShellOrphaned()
}

/**
 * The pid of the parent of a shell; undefined for another process, and where there is no /proc to tell. npm starts
 * programs through `sh`, which may wait for the program instead of becoming it, also when npm is killed.
 */
function parentOfShell(pid: number): number | undefined {
  const { name = '', parent } = readProcStat(pid) ?? {}
  return /sh$|^busybox$/.test(name) ? parent : undefined
}
