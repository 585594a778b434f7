import type { GapWindows } from '../engine/gap-finder.ts'
import type { Seed } from '../fixtures/seed.ts'
import { resumeRequests, storeRequests } from '../journal/stored-requests.ts'
import type { StoredRequests } from '../journal/stored-requests.ts'
import type { WorldParts } from './commands/command.ts'
import { resumeState } from './restore-state.ts'
import type { Snapshot } from './snapshot.ts'
import { takeSnapshot } from './take-snapshot.ts'
import type { WorldOptions } from './world-state.ts'

/**
 * A whole world as plain JSON. Another process can continue the world at the same time of the machine's clock, and no client
 * notices. It contains a snapshot, which any world can restore, and state for this world alone. Seeds are stored separately,
 * because worlds share them.
 */
export interface StoredWorld {
  /** Time of creation, by the machine's clock in epoch milliseconds. */
  created_ms: number
  /** The key of the seed that a reset returns to. */
  seed: string
  /** The key of the seed whose policies are in force: the same as `seed`, or the key of a scenario's seed. */
  loaded_seed: string
  /** The state of the world, with the commands and the sequence of its journal. */
  snapshot: Snapshot
  /** True if a restored snapshot has replaced the world; omitted if none has. */
  is_restored?: boolean
  /** True if commands have changed records since the last refresh, so that their old values may be shown (G-058). */
  awaits_refresh: boolean
  /** Rate windows that were counted under policies not in force; null if responses don't name gaps. */
  gap_windows: GapWindows | null
  /** Bearer values that the world must not show, each with the id of its token, in the order in which the world had them. */
  secrets: [value: string, token: number][]
  requests: StoredRequests
}

/** The keys of seeds. A store keeps each seed once, under its key. */
export interface SeedKeys {
  keyOf: (seed: Seed) => string
  seedOf: (key: string) => Seed
}

/** Returns a whole world. It shares objects with the running world: write it at once, and do not change it. */
export function storeWorld(
  { options, state, journal, secrets }: WorldParts,
  { createdMs, keyOf }: { createdMs: number } & SeedKeys,
): Readonly<StoredWorld> {
  const realMs = options.realNow()
  return {
    created_ms: createdMs,
    seed: keyOf(options.seed),
    loaded_seed: keyOf(state.seed),
    snapshot: takeSnapshot({ world: state, journal, realMs, isWhole: true }),
    ...(state.isRestored && { is_restored: true }),
    awaits_refresh: state.engine.staleView.earlierRecords(state.clock.worldMs()) !== undefined,
    gap_windows: state.gapFinder?.save() ?? null,
    secrets: [...secrets.owners],
    requests: storeRequests(journal.recorded),
  }
}

/** Resumes the state of a stored world. The real time of `options` must be that at which the world was stored. */
export async function resumeWorld(
  options: WorldOptions,
  { snapshot, loaded_seed, is_restored = false, awaits_refresh, gap_windows }: StoredWorld,
  { seedOf }: SeedKeys,
): Promise<WorldParts['state']> {
  const state = await resumeState(options, snapshot, {
    seed: seedOf(loaded_seed),
    ...(gap_windows && { gapWindows: gap_windows }),
  })
  // Has no effect if a stale view was restored.
  if (awaits_refresh) state.engine.staleView.keep()
  return { ...state, isRestored: is_restored }
}

/** Continues the journal and the secrets of a stored world. */
export function resumeJournal(
  { journal, secrets }: Pick<WorldParts, 'journal' | 'secrets'>,
  { snapshot, requests, secrets: owners }: StoredWorld,
): void {
  const { commands, sequence } = snapshot
  journal.resume({ requests: resumeRequests(requests), commands, sequence })
  secrets.resume(owners)
}
