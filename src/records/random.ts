/** A source of random numbers that gives the same ones for the same keys, on every machine. */
export interface Random {
  /** At least 0, below 1. */
  next: () => number
  /** A whole number from `minimum` to `maximum`, both possible. */
  integer: (minimum: number, maximum: number) => number
  /** True with this probability. */
  chance: (share: number) => boolean
  /** @throws RangeError for an empty list. */
  pick: <Item>(items: readonly Item[]) => Item
}

/**
 * Random numbers for one purpose, like `createRandom(seed, 'keywords', projectId)`: how many are drawn for it
 * does not change the numbers of others. The keys are hashed by FNV-1a, the numbers are those of SplitMix32;
 * both are a few operations on 32-bit integers, because 100,000 projects are drawn while a server starts.
 */
export function createRandom(...keys: (string | number)[]): Random {
  let state = hash(keys.join('\u0000'))
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  return {
    next,
    integer: (minimum, maximum) => minimum + Math.floor(next() * (maximum - minimum + 1)),
    chance: (share) => next() < share,
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new RangeError('There is nothing to pick from.')
      return item
    },
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value
}
