import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPermutation } from '../../src/records/permutation.ts'
import { runs } from '../support/depth.ts'

test('a permutation gives each number below its size once, and the same for the same keys', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 700 }), fc.string(), (size, seed) => {
      const [one, other] = [createPermutation(size, seed), createPermutation(size, seed)]
      const numbers = Array.from({ length: size }, (_, index) => index)
      const shuffled = numbers.map(one)
      expect(shuffled).toEqual(numbers.map(other))
      expect(shuffled.toSorted((a, b) => a - b)).toEqual(numbers)
    }),
    { numRuns: runs(200) },
  )
})
