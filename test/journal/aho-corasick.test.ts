import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AhoCorasick } from '../../src/journal/aho-corasick.ts'
import type { Match } from '../../src/journal/aho-corasick.ts'

/** Few characters, so that words overlap and contain each other. */
const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\u{1f600}'), maxLength })

test('finds the longest accepted word that ends at each place', () => {
  fc.assert(
    fc.property(
      fc.array(text(6), { maxLength: 12 }),
      text(60),
      fc.integer({ min: 0, max: 7 }),
      (words, where, refused) => {
        const accepts = ({ start, end }: Match) => end - start !== refused
        const found = new AhoCorasick(words).find(where, accepts)
        expect(found).toEqual(longestOf(words, where, accepts))
      },
    ),
  )
})

function longestOf(
  words: readonly string[],
  where: string,
  accepts: (match: Match) => boolean,
): Match[] {
  const lengths = words.map(({ length }) => length).toSorted((a, b) => b - a)
  const ends = Array.from({ length: where.length }, (_, index) => index + 1)
  return ends.flatMap((end) =>
    lengths
      .map((length) => ({ start: end - length, end }))
      .filter(({ start }) => start >= 0 && start < end)
      .filter((match) => words.includes(where.slice(match.start, end)) && accepts(match))
      .slice(0, 1),
  )
}
