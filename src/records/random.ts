/** Saves a look-up per call: in Jest, where globals are slow to look up, `Math.imul` would take most of the time of a loop. */
const { imul } = Math

/**
 * A SplitMix32 generator of random numbers, with the same output on every machine. It is a class because a server with a large
 * generated world creates hundreds of thousands of generators at start, and closures would take more memory.
 */
export class Random {
  #state: number

  constructor(state: number) {
    this.#state = state
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    let mixed = this.#state ^ (this.#state >>> 16)
    mixed = imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from `minimum` to `maximum`, inclusive. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1))
  }

  /** Returns true with a probability of `share`, from 0 to 1. */
  chance(share: number): boolean {
    return this.next() < share
  }

  /** @throws RangeError for an empty list. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)]
    if (item === undefined) throw new RangeError('The list is empty.')
    return item
  }
}

/**
 * Returns a generator for one purpose, like `createRandom(seed, 'keywords', projectId)`. Draws from it do not affect generators for
 * other purposes. FNV-1a hashes the keys, because it takes few operations on 32-bit integers.
 */
export function createRandom(...keys: (string | number)[]): Random {
  let value = 0x811c9dc5
  for (let place = 0; place < keys.length; place += 1) {
    // Separates keys by a zero character.
    if (place > 0) value = imul(value, 0x01000193)
    const text = String(keys[place])
    for (let index = 0; index < text.length; index += 1) {
      value = imul(value ^ text.charCodeAt(index), 0x01000193)
    }
  }
  return new Random(value)
}
