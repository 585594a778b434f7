import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { normalizeSpawnCommand } from 'tinyexec'
import { withoutControls } from '../../contract/describe.ts'
import { StartError } from './start-error.ts'
import { EXEC_EXIT_CODES } from './exit-codes.ts'

interface StartOptions {
  env: NodeJS.ProcessEnv
  /** Whether it begins a session, and with it a process group. */
  hasSession: boolean
  /** Takes what it prints, and it has no input; the streams of this process where omitted. */
  output?: (chunk: Buffer) => void
}

/**
 * Starts a command with the standard streams of this process, or with its output elsewhere.
 *
 * @throws StartError
 */
export async function startCommand(
  [name = '', ...args]: readonly string[],
  { env, hasSession, output }: StartOptions,
): Promise<ChildProcess> {
  if (name === '') throw toStartError('""', 'ENOENT')
  // On Windows many programs, like npm, can only be run by its shell.
  const normal = normalizeSpawnCommand(name, args, { env })
  try {
    const child = spawn(normal.command, normal.args ?? [], {
      ...normal.options,
      stdio: output ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      detached: hasSession,
    })
    if (output) for (const stream of [child.stdout, child.stderr]) stream?.on('data', output)
    await once(child, 'spawn')
    return child
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) throw error
    throw toStartError(withoutControls(name), code, error)
  }
}

/** The error codes of a system that cannot start another process now. */
const NO_ROOM = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']

function toStartError(name: string, code: string, cause?: unknown): StartError {
  const { failed, notFound, notRunnable } = EXEC_EXIT_CODES
  if (code === 'ENOENT') {
    const sentence =
      'There is no such command, or no such interpreter as its first line names. Check its spelling, or write its path.'
    return new StartError(`${name}: ${sentence}`, notFound, { cause })
  }
  if (NO_ROOM.includes(code)) {
    const sentence = `The system has no room for another process (${code}). End some, and try again.`
    return new StartError(`${name}: ${sentence}`, failed, { cause })
  }
  const sentence = `It cannot be run (${code}). Check that it is a program, and that you may run it.`
  return new StartError(`${name}: ${sentence}`, notRunnable, { cause })
}
