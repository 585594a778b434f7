import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { normalizeSpawnCommand } from 'tinyexec'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, delimiter } from 'node:path'
import { withoutControls } from '../../contract/text.ts'
import { EXEC_EXIT_CODES, RUN_VARIABLE } from './exec-options.ts'
import type { Run } from './processes.ts'

interface StartOptions {
  env: NodeJS.ProcessEnv
  /** True to start the command in a session, and thus a process group, of its own. */
  hasSession: boolean
  /** Receives the output of the command, which then has no input. If omitted, the command inherits our standard streams. */
  output?: (chunk: Buffer) => void
}

interface StartedCommand {
  child: ChildProcess
  run: Run
  /** Streams of the command's output; empty unless `output` is set. */
  printing: readonly Readable[]
  /** Resolves after the streams in `printing` have closed, when no process has them open any more. */
  closed: Promise<unknown>
}

/**
 * Starts a command that inherits our standard streams, or whose output is passed to `output`.
 *
 * @throws StartError if the command cannot be started.
 */
export async function startCommand(
  [name = '', ...args]: readonly string[],
  { env, hasSession, output }: StartOptions,
): Promise<StartedCommand> {
  if (name === '') throw toStartError('""', 'ENOENT')
  const mark = randomUUID()
  const marks = [env[RUN_VARIABLE] ?? [], mark].flat().join(' ')
  // On Windows, many programs, such as npm, run only through the shell.
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
 * Checks that the file of a command exists, except on Windows, where only starting the command can tell.
 *
 * @throws StartError if the file does not exist.
 */
export function requireCommand([name = '']: readonly string[]): void {
  if (process.platform === 'win32') return
  if (!filesOf(name, process.env).some((file) => existsSync(file)))
    throw toStartError(withoutControls(name) || '""', 'ENOENT')
}

const NO_ROOM = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']

function toStartError(name: string, code: string, cause?: unknown): StartError {
  const { failed, notFound, notRunnable } = EXEC_EXIT_CODES
  if (code === 'ENOENT') {
    const sentence =
      'There is no such command, or its first line names an interpreter that does not exist. Check its spelling, or write its path.'
    return new StartError(`${name}: ${sentence}`, notFound, { cause })
  }
  if (NO_ROOM.includes(code)) {
    const sentence = `The system cannot start another process (${code}). End some, and try again.`
    return new StartError(`${name}: ${sentence}`, failed, { cause })
  }
  const sentence = `It cannot be run (${code}). Check that it is a program, and its permissions.`
  return new StartError(`${name}: ${sentence}`, notRunnable, { cause })
}

/** Error for a command that cannot be started. The exit code is 126 or 127, as in shells, or `EXEC_EXIT_CODES.failed`. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** A pipe from a command to this process. `writer` is a file descriptor. */
interface OutputPipe {
  writer: number
  reader: Socket
}

/**
 * Opens a named pipe, and immediately removes its name. A command can reopen such a pipe as `/dev/stderr`, unlike Node's
 * own pipes, which are sockets. Undefined without `mkfifo`, and on Windows, because Node cannot open the pipes of Git's
 * `mkfifo`.
 */
function openOutputPipe(): OutputPipe | undefined {
  if (process.platform === 'win32') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'seo-sandbox-'))
  const path = join(folder, 'output')
  try {
    if (spawnSync('mkfifo', [path]).status !== 0) return undefined
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, constants.O_WRONLY)
    return { writer, reader: new Socket({ fd, readable: true, writable: false }) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function filesOf(command: string, { PATH = '' }: NodeJS.ProcessEnv): string[] {
  if (command === '') return []
  if (command.includes('/')) return [command]
  return PATH.split(delimiter).map((folder) => join(folder, command))
}
