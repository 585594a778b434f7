interface Entry<Value> {
  value: Value
  /** True if the entry was used since it was added, or since it was last due for eviction. */
  isUsed: boolean
}

interface CacheLimits<Key, Value> {
  entries: number
  /** Maximum total of the sizes by `sizeOf`; unlimited if omitted. */
  size?: number
  sizeOf?: (key: Key, value: Value) => number
}

/** Values by key, up to a number of entries and a total size: the least recently used are evicted first. */
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

  /** The total size of its entries. */
  get size(): number {
    return this.#size
  }

  /** This cache; it is cleared first if its values are from another revision or interval. */
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
      // A used value gets a second chance: that costs less than moving it on every use.
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

/** Longer texts are rare, and not worth the memory. */
const MAXIMUM_LENGTH = 200
const MAXIMUM_RESULTS = 5000

/**
 * Caches the results of a pure function for numbers and short texts, up to a limit. `undefined` is not cached, so
 * that invalid texts cost no memory.
 */
export function memoize<Key extends string | number, Value>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const results = new Cache<Key, Value>({ entries: MAXIMUM_RESULTS })
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const value = compute(key)
    const isShort = typeof key === 'number' || key.length <= MAXIMUM_LENGTH
    if (value !== undefined && isShort) results.set(key, value)
    return value
  }
}

/** Caches the results of a pure function for immutable objects, each for as long as its object is in use. */
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
