import type { MemoryUse } from '../contract/memory-use.ts'
import type { WorldParts } from './commands/command.ts'
import type { WorldState } from './world-state.ts'

/** What a world takes in addition to what is counted: its clocks, its limits and its empty caches. */
const WORLD_BYTES = 30_000

/** Counts what the parts of a new world take. */
export function countParts({ memory, journal, secrets, state }: WorldParts): void {
  memory.add(WORLD_BYTES)
  for (const part of [journal.memory, secrets.memory, ...usesOf(state)]) part.moveTo(memory)
}

/** Replaces the state of a world, and counts what the new one takes. */
export function replaceState(parts: WorldParts, state: WorldState): void {
  for (const part of usesOf(parts.state)) part.moveTo(undefined)
  for (const part of usesOf(state)) part.moveTo(parts.memory)
  parts.state = state
}

function usesOf({ records, engine, gapFinder, faults }: WorldState): MemoryUse[] {
  return [records.memory, engine.memory, ...(gapFinder?.memory ?? []), faults.memory]
}

/** Frees what a world caches. */
export function clearCaches({ engine, gapFinder, records }: WorldState): void {
  engine.clearCaches()
  gapFinder?.clearCaches()
  records.indexes.generated?.clearCaches()
}
