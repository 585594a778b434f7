import { MINUTE_MS } from '../contract/time.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'

/** How often the API refreshes its cache: `cache_refreshed_at` is the world clock floored to it (G-058). */
export const REFRESH_INTERVAL_MS = MINUTE_MS

/** The refresh interval that a time of the world clock falls in, counted from the epoch. */
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
  /** Whether other policies than those in force are tried as well. */
  triesPolicies: boolean
}

/**
 * The records as they were before a change, which responses show until the next refresh where policy lets data
 * go stale (G-058).
 */
export class StaleView {
  readonly #options: StaleViewOptions
  /** The refresh interval in which commands last changed the records, and what may be shown instead of them, if anything. */
  #kept: { interval: number; records: RecordReader | undefined } | undefined

  constructor(options: StaleViewOptions) {
    this.#options = options
  }

  /** Keeps what is visible now until the next refresh. Must be called before every change of the records. */
  keep(): void {
    const { records, worldMs } = this.#options
    const interval = toRefreshInterval(worldMs())
    if (this.#kept?.interval === interval) return
    this.#kept = { interval, records: this.#isNeeded ? records.snapshot() : undefined }
  }

  /** Shows the current records, as after a refresh; for when the clock is set to another time. */
  drop(): void {
    this.#kept = undefined
  }

  /** The records that responses show in a refresh interval, by the policies in force or by others. */
  recordsIn(interval: number, policy: ReadPolicy): RecordReader {
    const { records } = this.#options
    if (this.#kept?.interval !== interval) return records
    // Policy is read only here: without a change, fresh and stale data are the same.
    return (isStale(policy) && this.#kept.records) || records
  }

  /** What is shown instead of the records at a time of the world clock; undefined for the records themselves. */
  save(worldMs: number): RecordReader | undefined {
    return this.#isInForce ? this.kept(worldMs)?.records : undefined
  }

  /**
   * What is kept at a time of the world clock, also where only other policies would show it; undefined where commands
   * have changed no records since the last refresh. Without `records`, no policy that may apply shows them.
   */
  kept(worldMs: number): { records: RecordReader | undefined } | undefined {
    return this.#kept?.interval === toRefreshInterval(worldMs) ? this.#kept : undefined
  }

  /** Shows what another view showed at a time of the world clock. */
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

  /** Whether what is kept may be shown, by the policies in force or by others. */
  get #isNeeded(): boolean {
    return this.#options.triesPolicies || this.#isInForce
  }
}

function isStale(policy: ReadPolicy): boolean {
  return policy('data-refresh') === 'stale'
}
