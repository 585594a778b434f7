import type { PolicySet } from './policy-usage.ts'

/** A body as bytes, and the policies that it was made by. */
export interface CachedBody {
  bytes: Uint8Array<ArrayBuffer>
  used: PolicySet
}

/** What the time and the records were when bodies were made: as long as it holds, they do. */
export interface Generation {
  /** The revision of the records. */
  revision: number
  /** The `cache_refreshed_at` interval, counted from the epoch. */
  interval: number
}

interface Entry {
  body: CachedBody
  /** Whether it was used since it was put in, or last had its turn to go. */
  isUsed: boolean
}

/**
 * Bodies as bytes, kept per generation: a change of the records or the next refresh forgets them all,
 * so that none is ever stale. Bounded in memory: those that were not used for long go first.
 */
export class BodyCache {
  readonly #maximumBytes: number
  #entries = new Map<string, Entry>()
  #bytes = 0
  #generation: Generation = { revision: -1, interval: -1 }

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes
  }

  get(key: string, generation: Generation): CachedBody | undefined {
    this.#enter(generation)
    const entry = this.#entries.get(key)
    if (entry) entry.isUsed = true
    return entry?.body
  }

  set(key: string, generation: Generation, body: CachedBody): void {
    this.#enter(generation)
    const entry = { body, isUsed: false }
    this.#entries.set(key, entry)
    this.#bytes += sizeOf(key, body)
    for (const [oldestKey, oldest] of this.#entries) {
      if (this.#bytes <= this.#maximumBytes) return
      this.#entries.delete(oldestKey)
      // One that was used since it came to the front has another turn: that costs less than moving it each time.
      if (oldest.isUsed) this.#entries.set(oldestKey, { ...oldest, isUsed: false })
      else this.#bytes -= sizeOf(oldestKey, oldest.body)
    }
  }

  /** Forgets all bodies: something has changed that no generation tells. */
  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  /** Bytes held, keys included. */
  get size(): number {
    return this.#bytes
  }

  #enter(generation: Generation): void {
    const { revision, interval } = this.#generation
    if (revision === generation.revision && interval === generation.interval) return
    this.clear()
    this.#generation = generation
  }
}

const BYTES_PER_CHARACTER = 2
const ENTRY_BYTES = 200

function sizeOf(key: string, { bytes }: CachedBody): number {
  return bytes.byteLength + key.length * BYTES_PER_CHARACTER + ENTRY_BYTES
}
