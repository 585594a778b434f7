import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pickCovered } from '../../src/records/generation/text-writer.ts'

/** The keywords of a report that have texts: a limited number, spread over the intents. */

const Keywords = fc.array(fc.constantFrom('price', 'place', 'reviews', 'urgency'), {
  maxLength: 60,
})

test('keywords are covered in their order, and no kind twice more than another that has some left', () => {
  fc.assert(
    fc.property(Keywords, fc.integer({ min: 0, max: 12 }), fc.string(), (kinds, room, seed) => {
      const keywords = kinds.map((kind, id) => ({ id, kind }))
      const covered = pickCovered(keywords, room, ({ kind }) => kind, seed)
      expect(covered).toHaveLength(Math.min(room, keywords.length))
      expect(keywords.filter((keyword) => covered.includes(keyword))).toEqual(covered)
      expect(pickCovered(keywords, room, ({ kind }) => kind, seed)).toEqual(covered)
      const countOf = (list: typeof keywords, kind: string) =>
        list.filter((each) => each.kind === kind).length
      const most = Math.max(0, ...kinds.map((kind) => countOf([...covered], kind)))
      for (const kind of kinds) {
        const own = countOf([...covered], kind)
        if (own < countOf(keywords, kind)) expect(own).toBeGreaterThanOrEqual(most - 1)
      }
    }),
  )
})
