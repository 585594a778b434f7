interface Entry<Value> {
  value: Value
  /** True if the entry has been read since it was added or last spared from eviction. */
  isUsed: boolean
}

interface CacheLimits<Key, Value> {
  entries: number
  /** Maximum sum of `sizeOf` over all entries; unlimited if omitted. */
  size?: number
  sizeOf?: (key: Key, value: Value) => number
}

/**
 * Cache with limits on the number and the total size of its entries. Evicts the oldest entries, except that an entry that has
 * been read is spared for one round.
 */
export class Cache<Key, Value> {
  readonly #limits: Required<CacheLimits<Key, Value>>
  readonly #entries = new Map<Key, Entry<Value>>()
  #size = 0
  #revision = NaN
  #interval = NaN

  constructor({ entries, size = Infinity, sizeOf = () => 0 }: CacheLimits<Key, Value>) {
    this.#limits = { entries, size, sizeOf }
  }

  get entries(): number {
    return this.#entries.size
  }

  get size(): number {
    return this.#size
  }

  /** Returns this cache. Clears it first if its values were computed for another `revision` or `interval`. */
  at(revision: number, interval = 0): this {
    if (revision !== this.#revision || interval !== this.#interval) {
      this.clear()
      this.#revision = revision
      this.#interval = interval
    }
    return this
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    entry.isUsed = true
    return entry.value
  }

  set(key: Key, value: Value): void {
    const before = this.#entries.get(key)
    if (before) this.#remove(key, before)
    const entry = { value, isUsed: false }
    this.#entries.set(key, entry)
    this.#size += this.#limits.sizeOf(key, value)
    for (const [oldestKey, oldest] of this.#entries) {
      if (this.#isWithinLimits) return
      this.#remove(oldestKey, oldest)
      // Reinserting a read entry only here costs less than moving it on every read.
      if (oldest.isUsed) {
        oldest.isUsed = false
        this.#entries.set(oldestKey, oldest)
        this.#size += this.#limits.sizeOf(oldestKey, oldest.value)
      }
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }

  get #isWithinLimits(): boolean {
    return this.#entries.size <= this.#limits.entries && this.#size <= this.#limits.size
  }

  #remove(key: Key, { value }: Entry<Value>): void {
    this.#entries.delete(key)
    this.#size -= this.#limits.sizeOf(key, value)
  }
}

/** In characters. Longer keys are rare, and not worth the memory. */
const MAXIMUM_KEY_LENGTH = 200
const MAXIMUM_RESULTS = 5000

/**
 * Caches up to 5,000 results of a pure function. `undefined` results, and results for keys of more than 200 characters, are not
 * cached, so that invalid input costs no memory.
 */
export function memoize<Key extends string | number, Value>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const results = new Cache<Key, Value>({ entries: MAXIMUM_RESULTS })
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const value = compute(key)
    const isShort = typeof key === 'number' || key.length <= MAXIMUM_KEY_LENGTH
    if (value !== undefined && isShort) results.set(key, value)
    return value
  }
}

/** Caches the results of a pure function of an immutable object, each until the object is garbage-collected. */
export function memoizeByObject<Key extends object, Value>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const results = new WeakMap<Key, Value>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined || results.has(key)) return known as Value
    const value = compute(key)
    results.set(key, value)
    return value
  }
}
