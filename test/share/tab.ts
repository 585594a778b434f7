import { journalEntries } from '../support/journal-entries.ts'
import { vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox, SandboxOptions } from '../../src/index.ts'
import { replayShared } from '../../src/share/replay-shared.ts'
import type { TabClock } from '../../src/share/replay-shared.ts'
import { shareWorld } from '../../src/share/share-world.ts'
import { FORMAT } from '../../src/session/session.ts'
import type { SharedSession } from '../../src/session/session.ts'

/** The clock of a tab, for tests that fake {@link Date}. */
export const CLOCK: TabClock = { stopAt: (ms) => vi.setSystemTime(ms), run: () => undefined }

export const DIGEST = 'sha256-4bGq/8s='

/** Opens a tab of a site with these options. It shares its session, and opens sessions shared by others. */
export async function openTab(options: SandboxOptions = {}) {
  const create = () => createSandbox(options)
  const sandbox = await create()
  return {
    sandbox,
    own: await sandbox.session(),
    share: sharing(sandbox),
    open: async (shared: SharedSession) => {
      let share: ReturnType<typeof sharing> | undefined
      const createSharing = async () => {
        const created = await create()
        share = sharing(created)
        return created
      }
      const opened = await replayShared(shared, { create: createSharing, clock: CLOCK })
      return { ...opened, share: share! }
    },
  }
}

function sharing(sandbox: Sandbox) {
  const { seed } = sandbox.world.options
  return (screen = '') => shareWorld(sandbox, { digest: DIGEST, seed, screen })
}

/** Returns the history of a world: its session with every response, its journal, and the review of its client. */
export async function historyOf(sandbox: Sandbox) {
  const entries = journalEntries(sandbox.world.journal).map((entry) => ({
    ...entry,
    duration_ms: null,
  }))
  return {
    session: await sandbox.session(),
    entries,
    review: sandbox.review(),
    clock: sandbox.clock.read(),
  }
}

export type SharedStep = SharedSession['steps'][number]

const BEGAN_MS = Date.UTC(2026, 2, 15, 12)

/** Returns a shared session without steps; `changes` replaces whole fields. */
export function aShared(changes: Partial<SharedSession> = {}): SharedSession {
  return {
    ...FORMAT,
    site: { digest: DIGEST, screen: 'panel=traffic', shared_ms: BEGAN_MS + 3_600_000 },
    beginning: { at_ms: BEGAN_MS },
    steps: [],
    ...changes,
  }
}

const PLACE = { sequence: 1, at_ms: BEGAN_MS + 5 }

export function aRequest(
  changes: Partial<Extract<SharedStep, { request: object }>['request']> = {},
): Extract<SharedStep, { request: object }> {
  return {
    ...PLACE,
    request: {
      method: 'GET',
      path: '/api/v1/me',
      query: '',
      client_ip: '127.0.0.1',
      origin: 'http://localhost',
      ...changes,
    },
  }
}

export function aCommand(command: { type: string; [field: string]: unknown }): SharedStep {
  return { ...PLACE, command }
}

/** Returns the fragment of a link that carries any text, as anybody can write one. */
export async function linkOf(text: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = Buffer.from(await new Response(stream).arrayBuffer())
  return `s1.${bytes.toString('base64url')}`
}
