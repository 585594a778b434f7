import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Snapshot } from '../../src/index.ts'
import { fromRoot, nodeCommand } from './cli.ts'
import type { Folder } from './cli.ts'
import { AGENCY, aProject, aToken, aWorld } from './worlds.ts'

/** The file that the program keeps. */
export const STATE = 'state.json'
export const LIMITED = 'limited-token'
export const LIMIT = 40

/** One project for each concurrent client. */
export const IDS = [1, 2, 3, 4, 5, 6, 7, 8]

/** What the program serves, in `agency.json`. */
export const world = aWorld({
  tokens: [
    aToken({ id: 1, token: AGENCY }),
    aToken({ id: 2, token: LIMITED, rate_limit: { per_minute: LIMIT, per_hour: 'unlimited' } }),
  ],
  projects: IDS.map((id) => aProject({ id })),
})

export const FILES = { 'agency.json': JSON.stringify(world) }

/** What a second server on the same file writes to standard error. */
export const ANOTHER_SERVER =
  /^error state\.json: Another server uses it: process \d+ on \S+\. Stop that server, or choose another file\.\n$/

export async function readState(folder: Folder): Promise<Snapshot> {
  return JSON.parse(await folder.read(STATE)) as Snapshot
}

/** The serving program; it is killed with its scope. */
export interface Program extends AsyncDisposable {
  pid: number | undefined
  /** The first line of its log. */
  first: { url: string; world: string; state: { of: string | null } }
  get: (path: string, token: string) => Promise<{ text: string; remaining: string | null }>
  control: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>
  stderr: () => string
  kill: (signal: NodeJS.Signals) => void
  /** Stops it, and returns the exit code. */
  stop: () => Promise<number | null>
  ended: Promise<number | null>
}

interface StartOptions {
  fixtures?: string
  /** How large the files that it writes can be, in blocks of 512 bytes. */
  fileLimit?: number
  /** Options of Node. */
  node?: string[]
}

/** Serves a folder's fixture and its state. */
export async function start(
  folder: Folder,
  args: string[] = [],
  { fixtures = 'agency.json', fileLimit, node = [] }: StartOptions = {},
): Promise<Program> {
  const line = ['--port', '0', '--json', '--fixtures', fixtures, '--state', STATE, ...args]
  const command = nodeCommand([...node, fromRoot('bin/seo-sandbox.js'), ...line], fileLimit)
  const child = spawn(...command, {
    cwd: folder.path(),
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const first = await new Promise<Program['first']>((resolve, reject) => {
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      const [text, ...rest] = stdout.split('\n')
      if (rest.length > 0) resolve(JSON.parse(text ?? '') as Program['first'])
    })
    void ended.then(() => reject(new Error(`It ended: ${stderr}`)))
  })
  return {
    pid: child.pid,
    first,
    get: async (path, token) => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${first.url}/api/v1${path}`, { headers })
      const remaining = response.headers.get('x-ratelimit-remaining')
      return { text: await response.text(), remaining }
    },
    control: async (method, path, body) => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
      const response = await fetch(`${first.url}/_sandbox${path}`, init)
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    },
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
