import { MINUTE_MS } from '../contract/time.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'

/** Refresh interval of the API's cache: `cache_refreshed_at` is the world clock floored to it (G-058). */
export const REFRESH_INTERVAL_MS = MINUTE_MS

/** Returns the refresh interval that a time of the world clock falls in, counted from the epoch. */
export function toRefreshInterval(worldMs: number): number {
  return Math.floor(worldMs / REFRESH_INTERVAL_MS)
}

/** A world's records, which can be copied to keep them while the world continues. */
export interface LiveRecords extends RecordReader {
  snapshot: () => RecordReader
}

interface StaleViewOptions {
  records: LiveRecords
  /** The world clock in epoch milliseconds. */
  worldMs: () => number
  /** The policies in force. */
  policy: ReadPolicy
  /** True if policies other than those in force are also tried. */
  triesPolicies: boolean
}

/**
 * The records as they were before a change, which responses show until the next refresh if policy lets data go stale (G-058).
 */
export class StaleView {
  readonly #options: StaleViewOptions
  /** The refresh interval in which commands last changed the records, and the records, if any, that may be shown instead. */
  #kept: { interval: number; records: RecordReader | undefined } | undefined

  constructor(options: StaleViewOptions) {
    this.#options = options
  }

  /** Keeps the visible records until the next refresh. Must be called before every change of the records. */
  keep(): void {
    const { records, worldMs } = this.#options
    const interval = toRefreshInterval(worldMs())
    if (this.#kept?.interval === interval) return
    this.#kept = { interval, records: this.#isNeeded ? records.snapshot() : undefined }
  }

  /** Shows the current records, as after a refresh. Called when the clock is set to another time. */
  drop(): void {
    this.#kept = undefined
  }

  /** Returns the records that responses show in a refresh interval, by the policies in force or by others. */
  recordsIn(interval: number, policy: ReadPolicy): RecordReader {
    const { records } = this.#options
    if (this.#kept?.interval !== interval) return records
    // Policy is read only here: without a change, fresh and stale data are the same.
    return (isStale(policy) && this.#kept.records) || records
  }

  /**
   * Returns the records shown instead of the current ones at a time of the world clock; undefined if the current ones are
   * shown.
   */
  save(worldMs: number): RecordReader | undefined {
    return this.#isInForce ? this.kept(worldMs)?.records : undefined
  }

  /**
   * Returns the records kept at a time of the world clock, even if only policies not in force would show them; undefined if
   * commands have changed no records since the last refresh. Without `records`, no policy that may apply shows kept ones.
   */
  kept(worldMs: number): { records: RecordReader | undefined } | undefined {
    return this.#kept?.interval === toRefreshInterval(worldMs) ? this.#kept : undefined
  }

  /** Shows the records that another view showed at a time of the world clock. */
  restore(worldMs: number, records: RecordReader | undefined): void {
    if (!records || !this.#isNeeded) return
    this.#kept = { interval: toRefreshInterval(worldMs), records }
  }

  /** Saves the current view; the returned function restores it. */
  savepoint(): () => void {
    const kept = this.#kept
    return () => {
      this.#kept = kept
    }
  }

  get #isInForce(): boolean {
    return isStale(this.#options.policy)
  }

  /** True if kept records may be shown, by the policies in force or by others. */
  get #isNeeded(): boolean {
    return this.#options.triesPolicies || this.#isInForce
  }
}

function isStale(policy: ReadPolicy): boolean {
  return policy('data-refresh') === 'stale'
}
