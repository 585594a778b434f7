import { COLLECTION_NAMES } from '../contract/collection-facts.ts'
import type { WorldState } from './world-state.ts'

/** Size of a world: the figures that a host can limit. */
export interface WorldSize {
  records: number
  projects: number
  /** Number of characters in the records. */
  text: number
  faults: number
  /** Longest delay of a response that all faults together may cause, in milliseconds. */
  delayMs: number
  /** Number of removed records whose ids the world remembers. */
  removed: number
}

export function sizeOfWorld({
  records: { indexes },
  faults,
}: Pick<WorldState, 'records' | 'faults'>): WorldSize {
  return {
    records: COLLECTION_NAMES.reduce((sum, name) => sum + indexes.allStored(name).length, 0),
    projects: indexes.allStored('projects').length,
    text: indexes.characters,
    faults: faults.count,
    delayMs: longestDelay(faults.list()),
    removed: indexes.removedCount,
  }
}

/** Returns the longest delay of a response, its body included, that all faults together may cause, in milliseconds. */
export function longestDelay(faults: readonly object[]): number {
  return faults.reduce((sum, fault) => {
    const { ms, max_ms } = fault as { ms?: number | undefined; max_ms?: number | undefined }
    return sum + (ms ?? max_ms ?? 0)
  }, 0)
}
