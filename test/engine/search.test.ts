import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSearch } from '../../src/engine/search.ts'

/** Specification 4.3, G-042: a partial match, wherever in the text it is. */

function finds(text: string, name: string): boolean {
  return createSearch(text, () => 'like' as never)({ name, domain: null })
}

describe('a partial match is found', () => {
  test.each([
    ['fish', 'Fish and chips'],
    ['and', 'Fish and chips'],
    ['chips', 'Fish and chips'],
    ['s', 'Fish and chips'],
    ['chip_', 'Fish and chips'],
    ['f%s', 'Fish and chips'],
    ['fish and chips', 'Fish and chips'],
    ['øl', 'Havnens øl'],
  ])('%s in %s', (text, name) => expect(finds(text, name)).toBe(true))

  test.each([
    ['chipss', 'Fish and chips'],
    ['chips_', 'Fish and chips'],
    ['s%f', 'Fish and chip'],
  ])('but not %s in %s', (text, name) => expect(finds(text, name)).toBe(false))
})

test('every part of a text is found in it', () => {
  const Words = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', 'æ', ' '),
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(Words, fc.nat(11), fc.nat(11), (name, from, length) => {
      expect(finds(name.slice(from, from + length), name)).toBe(true)
    }),
  )
})
