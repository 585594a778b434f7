import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { normalizeSpawnCommand } from 'tinyexec'
import { withoutControls } from '../../contract/describe.ts'
import { filesOf } from './find-in-path.ts'
import { openOutputPipe } from './output-pipe.ts'
import type { Run } from './processes.ts'
import { StartError } from './start-error.ts'
import { EXEC_EXIT_CODES } from './exit-codes.ts'
import { RUN_VARIABLE } from './variables.ts'

interface StartOptions {
  env: NodeJS.ProcessEnv
  /** Whether it begins a session, and with it a process group. */
  hasSession: boolean
  /** Takes what it prints, and it has no input; the streams of this process where omitted. */
  output?: (chunk: Buffer) => void
}

interface StartedCommand {
  child: ChildProcess
  run: Run
  /** Its output, where `output` takes that; `closed` settles when nothing has it open any more. */
  printing: readonly Readable[]
  closed: Promise<unknown>
}

/**
 * Starts a command with the standard streams of this process, or with its output elsewhere.
 *
 * @throws StartError
 */
export async function startCommand(
  [name = '', ...args]: readonly string[],
  { env, hasSession, output }: StartOptions,
): Promise<StartedCommand> {
  if (name === '') throw toStartError('""', 'ENOENT')
  const mark = randomUUID()
  const marks = [env[RUN_VARIABLE] ?? [], mark].flat().join(' ')
  // On Windows many programs, like npm, can only be run by its shell.
  const normal = normalizeSpawnCommand(name, args, { env: { ...env, [RUN_VARIABLE]: marks } })
  const pipe = output && openOutputPipe()
  const piped = pipe?.writer ?? 'pipe'
  try {
    const child = spawn(normal.command, normal.args ?? [], {
      ...normal.options,
      stdio: output ? ['ignore', piped, piped] : 'inherit',
      detached: hasSession,
    })
    const streams = [pipe?.reader ?? [child.stdout, child.stderr]].flat()
    const printing = streams.filter((stream) => stream !== null)
    for (const stream of printing) stream.on('data', output!)
    const closed = Promise.all(printing.map((stream) => once(stream, 'close')))
    await once(child, 'spawn')
    return { child, run: { pid: child.pid as number, mark, hasSession }, printing, closed }
  } catch (error) {
    pipe?.reader.destroy()
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) throw error
    throw toStartError(withoutControls(name), code, error)
  } finally {
    if (pipe) closeSync(pipe.writer)
  }
}

/**
 * Checks that there is a file for a command, without starting it; on Windows that is left to the start.
 *
 * @throws StartError
 */
export function requireCommand([name = '']: readonly string[]): void {
  if (process.platform === 'win32') return
  if (!filesOf(name, process.env).some((file) => existsSync(file)))
    throw toStartError(withoutControls(name) || '""', 'ENOENT')
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
