import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { text as readText } from 'node:stream/consumers'
import { fromRoot, nodeCommand } from './cli.ts'
import { BIN } from './launch.ts'

/** `seo-sandbox serve` in a process, and the files that tests of it serve. */

export const EXAMPLE = fromRoot('fixtures/examples/agency.yaml')
export const CONFIG = 'seo-sandbox.config.yaml'

export const ADMIN_KEY = '0123456789-and-more'
export const ORIGINS = ['https://app.example.com', 'http://localhost:3000']
export const PREFLIGHT = {
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization',
}

export const TOKENS = `version: 1
now: 2020-01-01
agencies: [{ id: 1, name: North }, { id: 2, name: South }]
tokens:
  - { id: 1, name: North live, token: north-live, agency: 1 }
  - { id: 2, name: North office, token: north-office, agency: 1, allowed_ips: [203.0.113.0/24] }
  - { id: 3, name: Everything, token: everything }
`
export const PROJECTS = `projects:
  - { id: 1, agency: 1, name: Harbour, status: active, created_at: now-3d }
  - { id: 2, agency: 2, name: Mill, status: active, created_at: now-3d }
`

/** Two agencies with a project each, in two files, and handlers of a user. */
export const WORLDS = {
  'my tokens.yaml': TOKENS,
  'my projects.yaml': PROJECTS,
  'my overrides.mjs': `import { http } from ${JSON.stringify(import.meta.resolve('msw'))}
export const handlers = [
  http.get('https://seo.example.com/api/v1/countries', () => new Response('', { status: 418 })),
]`,
}

/** The running program; it is ended with its scope. */
export interface Program extends AsyncDisposable {
  /** Its output so far. */
  stdout: () => string
  stderr: () => string
  pid: number | undefined
  /** Waits until the output or the errors match, and returns the match; rejects if the program ends before. */
  until: (pattern: RegExp) => Promise<string>
  kill: (signal: NodeJS.Signals) => void
  /** The exit code; null if a signal killed it. */
  ended: Promise<number | null>
}

export interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  /** Options of Node. */
  nodeArgs?: string[]
  /** Maximum size of the files that it writes, in blocks of 512 bytes. */
  fileLimit?: number
}

/** Starts the program with only the PATH of this process's environment. */
export function run(
  args: string[],
  { env = {}, cwd = tmpdir(), nodeArgs = [], fileLimit }: RunOptions = {},
): Program {
  const child = spawn(...nodeCommand([...nodeArgs, BIN, ...args], fileLimit), {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    // A pipe, because --stdin-close needs one.
    stdio: 'pipe',
    timeout: 300_000,
  })
  const texts = { stdout: '', stderr: '' }
  const watchers = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk
      for (const watch of watchers) watch()
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const watch = () => {
        const match = pattern.exec(texts.stdout) ?? pattern.exec(texts.stderr)
        if (!match) return
        watchers.delete(watch)
        resolve(match[0])
      }
      watchers.add(watch)
      watch()
      void ended.then((code) =>
        reject(new Error(`It ended with ${code}: ${texts.stdout}${texts.stderr}`)),
      )
    })
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    pid: child.pid,
    until,
    kill: (signal) => child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A program that listens and logs in JSON. */
export interface Started {
  program: Program
  url: string
  /** The first line of its log. */
  first: Record<string, unknown>
  /** Sends a request to the API; the path is below `/api/v1`. */
  get: (path: string, token: string, headers?: Record<string, string>) => Promise<Response>
}

export async function started(program: Program): Promise<Started> {
  const first = JSON.parse(await program.until(/^\{.+\n/)) as Record<string, unknown>
  const url = String(first['url'])
  const get = (path: string, token: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      redirect: 'manual',
    })
  return { program, url, first, get }
}

export async function json(response: Response | Promise<Response>): Promise<any> {
  return (await response).json()
}
/** The output of a line pasted into a shell: with curl, or with fetch if curl is missing. */
export async function paste(line: string): Promise<string> {
  const fetcher = `fetch(process.argv[3], { headers: [process.argv[2].split(': ')] }).then(async (response) => process.stdout.write(await response.text()))`
  const shell = `command -v curl >/dev/null || curl() { "$NODE" --eval "$FETCHER" -- "$@"; }; ${line}`
  const child = spawn('sh', ['-c', shell], {
    env: { PATH: process.env['PATH'], NODE: process.execPath, FETCHER: fetcher, HOME: '/home/of' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return readText(child.stdout)
}
