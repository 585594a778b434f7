import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { aFolder, fromRoot } from '../support/cli.ts'
import type { Folder } from '../support/cli.ts'
import { INSTALLED, installPackages } from './install-packages.ts'
import { TSCONFIG } from './typescript.ts'

/** Maximum time of a command line to end, or to start listening, in milliseconds. */
const PATIENCE_MS = 90_000

const FILES = {
  'package.json': JSON.stringify({ type: 'module' }),
  'tsconfig.json': JSON.stringify(TSCONFIG),
}

/**
 * A user's project that follows a guide: a folder with everything installed, and the processes
 * running in it.
 */
export class Project implements AsyncDisposable {
  readonly #folder: Folder
  readonly #processes: { child: ChildProcess; closed: Promise<void> }[] = []

  /** Standard output of the last command line. */
  output = ''
  /** Scheme, host and port of the server started last; undefined before the first. */
  url: string | undefined

  private constructor(folder: Folder) {
    this.#folder = folder
  }

  static async create(): Promise<Project> {
    const folder = await aFolder(FILES)
    await installPackages(folder)
    return new Project(folder)
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(this.#folder.path(name)), { recursive: true })
    await writeFile(this.#folder.path(name), text)
  }

  read(name: string): Promise<string> {
    return this.#folder.read(name)
  }

  has(name: string): boolean {
    return existsSync(this.#folder.path(name))
  }

  /**
   * Runs a command line until it ends, or until the server that it starts listens; the server runs
   * until the project is disposed of.
   *
   * @throws if the exit code is not 0.
   */
  async run(line: string): Promise<void> {
    const child = spawn('bash', ['-c', `. "$ROOT/test/docs/shell.sh"\n${line}`], {
      cwd: this.#folder.path(),
      env: {
        PATH: process.env['PATH'],
        HOME: this.#folder.path(),
        ROOT: fromRoot('.'),
        ...(INSTALLED !== undefined && { INSTALLED }),
        NO_COLOR: '1',
        SEO_SANDBOX_PORT: '0',
        // Replaces port 4010, for the commands that look at a server.
        ...(this.url !== undefined && { SEO_SANDBOX_CONTROL_URL: `${this.url}/_sandbox` }),
      },
      stdio: 'pipe',
      detached: true,
    })
    // The end of standard input would stop such a server.
    if (!line.includes('--stdin-close')) child.stdin.end()
    const closed = new Promise<void>((resolve, reject) => {
      child.on('error', reject).on('close', () => resolve())
    })
    this.#processes.push({ child, closed })
    const deadline = setTimeout(() => end(child), PATIENCE_MS)
    const texts = { stdout: '', stderr: '' }
    child.stderr.on('data', (data: Buffer) => {
      texts.stderr += data.toString()
    })
    const listening = new Promise<string>((resolve) => {
      child.stdout.on('data', (data: Buffer) => {
        texts.stdout += data.toString()
        const [, url] =
          /(?:^ *Base URL +|"url":")(https?:[^"\s]+?)(?:\/api\/v1$|")/m.exec(texts.stdout) ?? []
        if (url !== undefined) resolve(url)
      })
    })
    const url = await Promise.race([closed, listening])
    clearTimeout(deadline)
    this.output = texts.stdout
    this.url = url ?? this.url
    if (url === undefined && child.exitCode !== 0) {
      const outcome = child.exitCode ?? `none within ${PATIENCE_MS} ms`
      throw new Error(`Exit code ${outcome} of: ${line}\n${texts.stdout}${texts.stderr}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#processes) end(child)
    await Promise.all(this.#processes.map(({ closed }) => closed))
    await this.#folder[Symbol.asyncDispose]()
  }
}

/**
 * Ends a process and everything that it started, which is in its process group, unless it has
 * already ended.
 */
function end({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(-pid, 'SIGTERM')
}
