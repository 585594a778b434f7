import { spawnSync } from 'node:child_process'

/** The reason why there is no release, and the remedy. */
export class ReleaseError extends Error {
  /**
   * @param {string} message
   * @param {number} exitCode 2 for a command line that cannot be understood
   */
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/**
 * Runs a step, and shows it with its output.
 *
 * @param {string[]} line
 * @param {{ folder?: string, advice: string }} options the remedy if it fails
 */
export function run([program = '', ...args], { folder = '.', advice }) {
  const line = [program, ...args].map((part) => (part.includes(' ') ? `"${part}"` : part)).join(' ')
  console.log(`\n> ${line}`)
  const { npm_config_dry_run: _, ...env } = process.env
  const { status, error } = spawnSync(program, args, { cwd: folder, env, stdio: 'inherit' })
  if (status === 0) return
  throw new ReleaseError(`"${line}" failed${error ? ` (${error.message})` : ''}. ${advice}.`)
}

/**
 * The output of git.
 *
 * @param {string[]} args
 */
export function git(...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { encoding: 'utf8' })
  if (status === 0) return stdout.trimEnd()
  throw new ReleaseError(`"git ${args[0]}" failed: ${error?.message ?? stderr.trim()}`)
}
