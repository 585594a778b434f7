import { createRandom } from './random.ts'

const ROUNDS = 4

/**
 * Returns a permutation of the integers from 0 up to, but not including, `size`. The same keys give the same permutation on every
 * machine. A Feistel network computes it without a table, and is applied until the result is below `size`: less than four times on
 * average.
 */
export function createPermutation(
  size: number,
  ...keys: (string | number)[]
): (index: number) => number {
  const half = Math.ceil((32 - Math.clz32(size - 1)) / 2)
  const mask = (1 << half) - 1
  const random = createRandom(...keys)
  const rounds = Array.from({ length: ROUNDS }, () => (random.next() * 2 ** 32) | 0)
  const shuffle = (index: number): number => {
    let [left, right] = [index >>> half, index & mask]
    for (const key of rounds) {
      const mixed = Math.imul(right ^ key, 0x735a2d97)
      ;[left, right] = [right, (left ^ (mixed >>> 15)) & mask]
    }
    return (left << half) | right
  }
  return (index) => {
    let shuffled = shuffle(index)
    while (shuffled >= size) shuffled = shuffle(shuffled)
    return shuffled
  }
}

/** Returns a shuffled copy of a list. For lists of equal length, the same keys give the same order on every machine. */
export function permute<Item>(list: readonly Item[], ...keys: (string | number)[]): Item[] {
  const permutation = createPermutation(list.length, ...keys)
  return list.map((_, index) => list[permutation(index)] as Item)
}
