import { MINUTE_MS } from '../contract/time.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'

/** Refresh interval of the API's cache: `cache_refreshed_at` is the world clock rounded down to it (G-058). */
export const REFRESH_INTERVAL_MS = MINUTE_MS

/** Returns the number of the refresh interval that contains a time of the world clock, counted from the epoch. */
export function toRefreshInterval(worldMs: number): number {
  return Math.floor(worldMs / REFRESH_INTERVAL_MS)
}

/** The records of a world. `snapshot` copies them, to keep them while the world changes. */
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
  /**
   * The refresh interval in which commands last changed records, and the records before that; undefined if no policy shows
   * them.
   */
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

  /** Returns the records that responses show in a refresh interval under `policy`, which need not be in force. */
  recordsIn(interval: number, policy: ReadPolicy): RecordReader {
    const { records } = this.#options
    if (this.#kept?.interval !== interval) return records
    // Policy is read only after a change: without one, fresh and stale data are the same.
    return (isStale(policy) && this.#kept.records) || records
  }

  /** Returns the earlier records that responses show at a time of the world clock; undefined if they show the current ones. */
  save(worldMs: number): RecordReader | undefined {
    return this.#isInForce ? this.kept(worldMs)?.records : undefined
  }

  /**
   * Returns the records kept at a time of the world clock, even if only policies not in force show them; undefined if commands
   * have changed no records since the last refresh. `records` is undefined if no policy that may apply shows kept records.
   */
  kept(worldMs: number): { records: RecordReader | undefined } | undefined {
    return this.#kept?.interval === toRefreshInterval(worldMs) ? this.#kept : undefined
  }

  /** Shows `records` until the first refresh after `worldMs`, as another view did; without records, has no effect. */
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
