import { MINUTE_MS } from '../contract/moments.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'

/** How often the API refreshes its cache: `cache_refreshed_at` is the world clock floored to it (G-058). */
export const REFRESH_INTERVAL_MS = MINUTE_MS

/** The refresh interval that a time of the world clock falls in, counted from the epoch. */
export function toRefreshInterval(worldMs: number): number {
  return Math.floor(worldMs / REFRESH_INTERVAL_MS)
}

/** A world's records, of which a copy can be kept while the world continues. */
export interface LiveRecords extends RecordReader {
  snapshot: () => RecordReader
}

export interface StaleViewOptions {
  records: LiveRecords
  /** The world clock in epoch milliseconds. */
  worldMs: () => number
  policy: ReadPolicy
}

/**
 * The records as they were before a change, which responses show until the next refresh where policy lets data
 * go stale (G-058).
 */
export class StaleView {
  readonly #options: StaleViewOptions
  /** The refresh interval in which commands last changed the records, and what is shown instead of them, if anything. */
  #kept: { interval: number; records: RecordReader | undefined } | undefined

  constructor(options: StaleViewOptions) {
    this.#options = options
  }

  /** Keeps what is visible now until the next refresh. Must be called before every change of the records. */
  keep(): void {
    const { records, worldMs } = this.#options
    const interval = toRefreshInterval(worldMs())
    if (this.#kept?.interval === interval) return
    this.#kept = { interval, records: this.#isEnabled ? records.snapshot() : undefined }
  }

  /** Shows the current records, as after a refresh; for when the clock is set to another time. */
  drop(): void {
    this.#kept = undefined
  }

  /** The records that responses show in a refresh interval. */
  recordsIn(interval: number): RecordReader {
    const { records } = this.#options
    if (this.#kept?.interval !== interval) return records
    // Policy is read only here: without a change, fresh and stale data are the same.
    return (this.#isEnabled && this.#kept.records) || records
  }

  /** What is shown instead of the records at a time of the world clock; undefined for the records themselves. */
  save(worldMs: number): RecordReader | undefined {
    return this.#kept?.interval === toRefreshInterval(worldMs) ? this.#kept.records : undefined
  }

  /** Shows what another view showed at a time of the world clock. */
  restore(worldMs: number, records: RecordReader | undefined): void {
    if (!records || !this.#isEnabled) return
    this.#kept = { interval: toRefreshInterval(worldMs), records }
  }

  /** Saves the current view; the returned function restores it. */
  savepoint(): () => void {
    const kept = this.#kept
    return () => {
      this.#kept = kept
    }
  }

  get #isEnabled(): boolean {
    return this.#options.policy('data-refresh') === 'stale'
  }
}
