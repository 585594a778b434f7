import type { Snapshot } from '../../src/index.ts'
import type { Folder } from './cli.ts'
import { run } from './serve-program.ts'
import type { Program, RunOptions } from './serve-program.ts'
import { AGENCY, aProject, aToken, aWorld } from './worlds.ts'

/** The file that the program keeps. */
export const STATE = 'state.json'
export const LIMITED = 'limited-token'
export const LIMIT = 40

/** One project for each concurrent client. */
export const IDS = [1, 2, 3, 4, 5, 6, 7, 8]

/** The world of the program, in `agency.json`. */
export const world = aWorld({
  tokens: [
    aToken({ id: 1, token: AGENCY }),
    aToken({ id: 2, token: LIMITED, rate_limit: { per_minute: LIMIT, per_hour: 'unlimited' } }),
  ],
  projects: IDS.map((id) => aProject({ id })),
})

export const FILES = { 'agency.json': JSON.stringify(world) }

/** Standard error of a second server on the same file. */
export const ANOTHER_SERVER =
  /^error state\.json: Another server uses it: process \d+ on \S+\. Stop that server, or choose another file\.\n$/

export async function readState(folder: Folder): Promise<Snapshot> {
  return JSON.parse(await folder.read(STATE)) as Snapshot
}

/** The program, which serves a folder's fixture and its state. */
export interface StateProgram extends Program {
  /** The first line of its log. */
  first: { url: string; world: string; state: { of: string | null } }
  get: (path: string, token: string) => Promise<{ text: string; remaining: string | null }>
  control: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>
  /** Stops it, and returns the exit code. */
  stop: () => Promise<number | null>
}

export async function start(
  folder: Folder,
  args: string[] = [],
  { fixtures = 'agency.json', ...options }: RunOptions & { fixtures?: string } = {},
): Promise<StateProgram> {
  const line = ['--port', '0', '--json', '--fixtures', fixtures, '--state', STATE, ...args]
  const program = run(line, { cwd: folder.path(), ...options })
  const first = JSON.parse(await program.until(/^\{.+\n/)) as StateProgram['first']
  return {
    ...program,
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
    stop: () => {
      program.kill('SIGTERM')
      return program.ended
    },
  }
}
