import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const BIN = fromRoot('bin/seo-sandbox.js')

/** The result of a process. */
export interface Outcome {
  code: number | null
  stdout: string
  /** Omits the pages that errors name, unless the options ask for them: test/cli/error-pages.test.ts covers those. */
  stderr: string
}

interface RunOptions {
  cwd: string
  env?: Record<string, string>
  /** True if stderr has the pages of the documentation that errors name. */
  withPages?: boolean
  /** Maximum size of the files that it writes, in blocks of 512 bytes; a longer write fails with EFBIG. */
  fileLimit?: number | undefined
}

/** Runs Node until it exits, with only the PATH of this process's environment. */
export async function runNode(
  args: string[],
  { cwd, env = {}, fileLimit, withPages = false }: RunOptions,
): Promise<Outcome> {
  const child = spawn(...nodeCommand(args, fileLimit), {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 180_000,
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve).on('error', reject)
  })
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)])
  return { code: await ended, stdout, stderr: withPages ? stderr : withoutPages(stderr) }
}

/** The end of an error: the page that it names, dim if there are colours. */
const PAGE = / \S*\(docs\/[\w/-]+\.md\)\S*$/gm

/** The standard error of a process, without the pages of the documentation that errors name. */
function withoutPages(stderr: string): string {
  return stderr.replaceAll(PAGE, '')
}

/** The command that runs Node with these arguments, and a limit on the size of files. */
export function nodeCommand(args: string[], fileLimit?: number): [string, string[]] {
  if (fileLimit === undefined) return [process.execPath, args]
  return ['sh', ['-c', `ulimit -S -f ${fileLimit} && exec "$0" "$@"`, process.execPath, ...args]]
}

/** Runs the built `seo-sandbox` in its own process. */
export function spawnCli(args: string[], options: RunOptions): Promise<Outcome> {
  requireBuilt()
  return runNode([BIN, ...args], options)
}

/** Runs command lines that end on their own, one after the other; an unexpected error writes a stack trace. */
const RUN_EACH = `
const { main } = await import(process.argv[1])
const write = (stream, texts) => { stream.write = (text) => texts.push(text) > 0 }
async function run({ id, args, cwd, env }) {
  const before = { ...process.env }
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.exitCode = 0
  const [stdout, stderr] = [[], []]
  write(process.stdout, stdout)
  write(process.stderr, stderr)
  await main(['node', 'seo-sandbox', ...args]).catch((error) => stderr.push(error.stack))
  process.env = before
  process.send({ id, code: process.exitCode, stdout: stdout.join(''), stderr: stderr.join('') })
  process.exitCode = 0
}
let last = Promise.resolve()
process.on('message', (line) => { last = last.then(() => run(line)) })
`

let isBuilt = false

/** Refuses an old build, which would pass tests of code that was never run. */
function requireBuilt(): void {
  isBuilt ||= spawnSync(process.execPath, [fromRoot('scripts/build.js'), '--check']).status === 0
  if (!isBuilt) throw new Error('dist/ is older than its sources. Run npm run build first.')
}

let runner: ChildProcess | undefined
let lines = 0

/** Runs the built `seo-sandbox` in a shared process, for command lines that end on their own. */
export async function runCli(
  args: string[],
  { cwd, env = {}, withPages = false }: RunOptions,
): Promise<Outcome> {
  runner ??= spawnRunner()
  const child = runner
  lines += 1
  const id = lines
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('The process of the command line has ended.')))
    const settle = ({ id: of, ...outcome }: Outcome & { id: number }) => {
      if (of !== id) return
      child.off('message', settle)
      resolve({ ...outcome, stderr: withPages ? outcome.stderr : withoutPages(outcome.stderr) })
    }
    child.setMaxListeners(0).on('message', settle)
    child.send({ id, args, cwd, env })
  })
}

/** The child ends with this process. */
function spawnRunner(): ChildProcess {
  requireBuilt()
  const script = ['--input-type=module', '--eval', RUN_EACH, '--', fromRoot('dist/command-line.js')]
  const child = spawn(process.execPath, script, {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.unref()
  return child
}

export interface Folder extends AsyncDisposable {
  /** The path of a file in the folder, or of the folder. */
  path: (name?: string) => string
  read: (name: string) => Promise<string>
  /** The sorted names of its entries. */
  list: (name?: string) => Promise<string[]>
}

/** A new folder with these files (a name that ends in `/` is a folder), removed with its scope. */
export async function aFolder(files: Record<string, string | Buffer>): Promise<Folder> {
  const root = await mkdtemp(join(tmpdir(), 'seo sandbox-'))
  const path = (name?: string) => (name === undefined ? root : join(root, name))
  for (const [name, content] of Object.entries(files)) {
    const isFolder = name.endsWith('/')
    await mkdir(isFolder ? path(name) : dirname(path(name)), { recursive: true })
    if (!isFolder) await writeFile(path(name), content)
  }
  return {
    path,
    read: (name) => readFile(path(name), 'utf8'),
    list: async (name) => (await readdir(path(name))).toSorted(),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
}

export function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
