import type { PolicyName } from '../contract/policies.ts'

/** A body as bytes, and the policies that it was made by. */
export interface CachedBody {
  bytes: Uint8Array<ArrayBuffer>
  asked: readonly PolicyName[]
}

/** What the time and the records were when bodies were made: as long as it holds, they do. */
export interface Generation {
  /** The revision of the records. */
  revision: number
  /** The `cache_refreshed_at` interval, counted from the epoch. */
  interval: number
}

/**
 * Bodies as bytes, kept per generation: a change of the records or the next refresh forgets them all,
 * so that none is ever stale. Bounded in memory: the least recently used go first.
 */
export class BodyCache {
  readonly #maximumBytes: number
  #bodies = new Map<string, CachedBody>()
  #bytes = 0
  #generation: Generation = { revision: -1, interval: -1 }

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes
  }

  get(key: string, generation: Generation): CachedBody | undefined {
    this.#enter(generation)
    const body = this.#bodies.get(key)
    if (body) {
      this.#bodies.delete(key)
      this.#bodies.set(key, body)
    }
    return body
  }

  set(key: string, generation: Generation, body: CachedBody): void {
    this.#enter(generation)
    this.#bodies.set(key, body)
    this.#bytes += sizeOf(key, body)
    for (const [oldestKey, oldest] of this.#bodies) {
      if (this.#bytes <= this.#maximumBytes) return
      this.#bodies.delete(oldestKey)
      this.#bytes -= sizeOf(oldestKey, oldest)
    }
  }

  /** Forgets all bodies: something has changed that no generation tells. */
  clear(): void {
    this.#bodies.clear()
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
