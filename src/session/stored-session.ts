import { RecordedRequest } from '../journal/recorded-request.ts'
import { resumeRequests, storeRequests } from '../journal/stored-requests.ts'
import type { StoredRequests } from '../journal/stored-requests.ts'
import { definitionOf } from '../world/commands/index.ts'
import type { CommandType } from '../world/commands/index.ts'
import type { SeedKeys } from '../world/stored-world.ts'
import type { World } from '../world/world.ts'
import { recordedSessionOf, recordSession } from './session-recorder.ts'

/** A recorded session as plain JSON, without the requests that are stored with the world's journal. */
export interface StoredSession {
  /** Start of the session, by the machine's clock in epoch milliseconds. */
  started_ms: number
  /** Key of the seed with which the session started. */
  seed: string
  loaded_records: number
  /** Steps in order: each is a request's sequence, or a command. */
  steps: (number | StoredCommand)[]
  /** Requests of the session that the journal does not have. */
  requests: StoredRequests
}

interface StoredCommand {
  sequence: number
  at_ms: number
  type: CommandType
  command: Record<string, unknown>
  /** Key of the seed that the command loaded; null if it loaded none. */
  seed: string | null
}

/** Returns the session of a world up to now; null if it is no longer kept. */
export function storeSession(world: World, { keyOf }: SeedKeys): StoredSession | null {
  const recorded = recordedSessionOf(world)
  if (!recorded) return null
  const { options, startedMs, loadedRecords, steps } = recorded
  const inJournal = new Set(world.journal.recorded)
  const requests = steps.filter((step) => step instanceof RecordedRequest)
  return {
    started_ms: startedMs,
    seed: keyOf(options.seed),
    loaded_records: loadedRecords,
    steps: steps.map((step) => {
      if (step instanceof RecordedRequest) return step.sequence
      const { sequence, atMs, definition, command, seed } = step
      const type = definition.type as CommandType
      return { sequence, at_ms: atMs, type, command, seed: seed ? keyOf(seed) : null }
    }),
    requests: storeRequests(requests.filter((request) => !inJournal.has(request))),
  }
}

/**
 * Continues the session of a resumed world. Must be called before the next request and command. `stored` is null if the session is
 * no longer kept.
 */
export function resumeSession(
  world: World,
  stored: StoredSession | null,
  { seedOf }: SeedKeys,
): void {
  if (!stored) {
    recordSession(world, null)
    return
  }
  const requests = [...world.journal.recorded, ...resumeRequests(stored.requests)]
  const bySequence = new Map(requests.map((request) => [request.sequence, request]))
  recordSession(world, {
    options: { ...world.options, seed: seedOf(stored.seed) },
    startedMs: stored.started_ms,
    loadedRecords: stored.loaded_records,
    steps: stored.steps.map((step) => {
      if (typeof step === 'number') return requireRequest(bySequence.get(step), step)
      const { sequence, at_ms: atMs, command, type, seed } = step
      const loaded = seed === null ? undefined : seedOf(seed)
      return { sequence, atMs, command, definition: definitionOf({ type }), seed: loaded }
    }),
  })
}

function requireRequest(request: RecordedRequest | undefined, sequence: number): RecordedRequest {
  if (request) return request
  throw new RangeError(`A stored session lacks its request ${sequence}.`)
}
