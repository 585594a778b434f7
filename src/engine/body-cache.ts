import type { PolicySet } from './policy-usage.ts'

/** A body as bytes, and the policies that it was made with. */
export interface CachedBody {
  bytes: Uint8Array<ArrayBuffer>
  used: PolicySet
}

/** The time and the records that bodies were made from; they are valid until either changes. */
export interface CacheVersion {
  /** The revision of the records. */
  revision: number
  /** The `cache_refreshed_at` interval, counted from the epoch. */
  interval: number
}

interface Entry {
  body: CachedBody
  /** Whether it was used since it was added, or since it was last due for eviction. */
  isUsed: boolean
}

/**
 * Bodies as bytes, kept per version: a change of the records or the next refresh clears them all, so that
 * none is ever stale. Bounded in memory: those that were not used for long are evicted first.
 */
export class BodyCache {
  readonly #maximumBytes: number
  #entries = new Map<string, Entry>()
  #bytes = 0
  #version: CacheVersion = { revision: -1, interval: -1 }

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes
  }

  get(key: string, version: CacheVersion): CachedBody | undefined {
    this.#enter(version)
    const entry = this.#entries.get(key)
    if (entry) entry.isUsed = true
    return entry?.body
  }

  set(key: string, version: CacheVersion, body: CachedBody): void {
    this.#enter(version)
    const entry = { body, isUsed: false }
    this.#entries.set(key, entry)
    this.#bytes += sizeOf(key, body)
    for (const [oldestKey, oldest] of this.#entries) {
      if (this.#bytes <= this.#maximumBytes) return
      this.#entries.delete(oldestKey)
      // A used entry gets a second chance: that costs less than moving it on every use.
      if (oldest.isUsed) this.#entries.set(oldestKey, { ...oldest, isUsed: false })
      else this.#bytes -= sizeOf(oldestKey, oldest.body)
    }
  }

  /** Forgets all bodies, after a change that the version does not show. */
  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  /** The bytes in use, keys included. */
  get size(): number {
    return this.#bytes
  }

  #enter(version: CacheVersion): void {
    const { revision, interval } = this.#version
    if (revision === version.revision && interval === version.interval) return
    this.clear()
    this.#version = version
  }
}

const BYTES_PER_CHARACTER = 2
const ENTRY_BYTES = 200

function sizeOf(key: string, { bytes }: CachedBody): number {
  return bytes.byteLength + key.length * BYTES_PER_CHARACTER + ENTRY_BYTES
}
