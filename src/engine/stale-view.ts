import { MINUTE_MS } from '../contract/time.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'

/** Refresh interval of the API's cache: `cache_refreshed_at` is the world clock rounded down to it (G-058). */
export const REFRESH_INTERVAL_MS = MINUTE_MS

/** Returns the number of the refresh interval that contains a time of the world clock, counted from the epoch. */
export function toRefreshInterval(worldMs: number): number {
  return Math.floor(worldMs / REFRESH_INTERVAL_MS)
}

/** The records of a world. `snapshot` returns a copy that does not change with the world. */
export interface LiveRecords extends RecordReader {
  snapshot: () => RecordReader
}

interface StaleViewOptions {
  records: LiveRecords
  /** The world clock in epoch milliseconds. */
  worldMs: () => number
  policy: ReadPolicy
  /** True if responses are also computed under policies that are not in force, which may show earlier records. */
  triesPolicies: boolean
}

/**
 * The records as they were before the changes since the last refresh. If policy lets data go stale, responses show them until the
 * next refresh (G-058).
 */
export class StaleView {
  readonly #options: StaleViewOptions
  /**
   * The refresh interval in which commands last changed records, and the records before the first change in it. `records` is
   * undefined if no policy shows earlier records.
   */
  #earlier: { interval: number; records: RecordReader | undefined } | undefined

  constructor(options: StaleViewOptions) {
    this.#options = options
  }

  /**
   * Keeps the current records until the next refresh, unless earlier ones are kept already. Must be called before every change of
   * the records.
   */
  keep(): void {
    const { records, worldMs } = this.#options
    const interval = toRefreshInterval(worldMs())
    if (this.#earlier?.interval === interval) return
    this.#earlier = { interval, records: this.#isNeeded ? records.snapshot() : undefined }
  }

  /** Forgets earlier records, as a refresh does. Called when the clock is set. */
  drop(): void {
    this.#earlier = undefined
  }

  /** Returns the records that responses show in a refresh interval under `policy`, which need not be in force. */
  recordsIn(interval: number, policy: ReadPolicy): RecordReader {
    const { records } = this.#options
    if (this.#earlier?.interval !== interval) return records
    // Policy is read only after a change, because otherwise it makes no difference.
    return (isStale(policy) && this.#earlier.records) || records
  }

  /**
   * Returns the earlier records that responses show at a time of the world clock under the policies in force; undefined if they
   * show the current records.
   */
  save(worldMs: number): RecordReader | undefined {
    return this.#isInForce ? this.earlierRecords(worldMs)?.records : undefined
  }

  /**
   * Returns the records before the changes since the last refresh, whether or not the policies in force show them; undefined if
   * there are no such changes. Its `records` is undefined if no policy that may apply shows earlier records.
   */
  earlierRecords(worldMs: number): { records: RecordReader | undefined } | undefined {
    return this.#earlier?.interval === toRefreshInterval(worldMs) ? this.#earlier : undefined
  }

  /**
   * Continues with earlier `records` of another view until the first refresh after `worldMs`. Has no effect if `records` is
   * undefined, or if no policy that may apply shows earlier records.
   */
  restore(worldMs: number, records: RecordReader | undefined): void {
    if (!records || !this.#isNeeded) return
    this.#earlier = { interval: toRefreshInterval(worldMs), records }
  }

  /** Saves the current view. Returns a function that restores it. */
  savepoint(): () => void {
    const earlier = this.#earlier
    return () => {
      this.#earlier = earlier
    }
  }

  get #isInForce(): boolean {
    return isStale(this.#options.policy)
  }

  get #isNeeded(): boolean {
    return this.#options.triesPolicies || this.#isInForce
  }
}

function isStale(policy: ReadPolicy): boolean {
  return policy('data-refresh') === 'stale'
}
