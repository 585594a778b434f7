import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findDeepValue, findTooDeep, MAXIMUM_DEPTH, TOO_DEEP } from '../../src/contract/nesting.ts'
import { depthOf, DeepJson } from '../support/nesting.ts'

test('a JSON text is too deep exactly where its value has more than 64 levels', () => {
  fc.assert(
    fc.property(DeepJson, fc.constantFrom(0, 1, '\t'), (value, space) => {
      const isTooDeep = depthOf(value) > MAXIMUM_DEPTH
      const text = JSON.stringify(value, null, space)
      expect(findTooDeep(text) !== undefined).toBe(isTooDeep)
      expect(findDeepValue(value)?.message).toBe(isTooDeep ? TOO_DEEP : undefined)
    }),
  )
})

test('the place is that of the bracket that opens the 65th level', () => {
  fc.assert(
    fc.property(DeepJson, (value) => {
      const text = JSON.stringify(value, null, 1)
      const place = findTooDeep(text)
      if (!place) return
      const lines = text.split('\n').slice(0, place.line)
      const before = [...lines.slice(0, -1), lines.at(-1)?.slice(0, place.column) ?? ''].join('\n')
      expect(before).toMatch(/[[{]$/)
      expect(findTooDeep(before)).toEqual(place)
      expect(findTooDeep(before.slice(0, -1))).toBeUndefined()
    }),
  )
})

test.each([
  ['brackets in a string', JSON.stringify(['['.repeat(100)])],
  ['brackets after an escaped quote', JSON.stringify([`"${'['.repeat(100)}`])],
  ['a string that is not closed', `["${'['.repeat(100)}`],
  ['a string that ends in a backslash', `["${'['.repeat(100)}\\`],
  ['many lists side by side', JSON.stringify(Array.from({ length: 100 }, () => []))],
])('%s: no levels', (_, text) => {
  expect(findTooDeep(text)).toBeUndefined()
})

test('brackets after a string that ends in escaped backslashes count', () => {
  expect(findTooDeep(String.raw`["\\",${'['.repeat(64)}`)).toEqual({ line: 1, column: 70 })
})

test('a value that contains itself is found where it does', () => {
  const circular: { list: unknown[] } = { list: [1] }
  circular.list.push(circular)
  expect(findDeepValue(circular)).toEqual({
    path: ['list', 1],
    message: expect.stringContaining('contains itself'),
  })
  const twice = { a: 1 }
  expect(findDeepValue([twice, twice])).toBeUndefined()
})

test('a value whose parts are shared is too deep exactly where it is once they are written out', () => {
  const part = fc.record({ isList: fc.boolean(), levelsBack: fc.nat(3), small: fc.nat(2) })
  fc.assert(
    fc.property(fc.array(part, { minLength: 56, maxLength: 72 }), (parts) => {
      const values: unknown[] = [1, [], [[]]]
      const levels = [0, 1, 2]
      for (const { isList, levelsBack, small } of parts) {
        const at = values.length - 1 - Math.max(0, levelsBack - 2)
        const inner = [values[small], values[at]]
        values.push(isList ? inner : Object.fromEntries(inner.entries()))
        levels.push(1 + Math.max(levels[small] ?? 0, levels[at] ?? 0))
      }
      const isTooDeep = (levels.at(-1) ?? 0) > MAXIMUM_DEPTH
      expect(findDeepValue(values.at(-1))?.message).toBe(isTooDeep ? TOO_DEEP : undefined)
    }),
  )
})

test('parts that are repeated may stand for 64 MB of text', () => {
  const megabyte = ['x'.repeat(2 ** 20)]
  const repeat = (times: number) => ({ list: Array.from({ length: times }, () => megabyte) })
  expect(findDeepValue(repeat(64))).toBeUndefined()
  const problem = { path: ['list', 64], message: expect.stringContaining('more than 64 MB') }
  expect(findDeepValue(repeat(66))).toEqual(problem)
  const texts = Array.from({ length: 66 }, () => [...megabyte])
  expect(findDeepValue(texts)).toBeUndefined()
})

test('a value that doubles at each of its levels is refused where it is too much', () => {
  let doubled: unknown[] = []
  for (let level = 0; level < 60; level += 1) doubled = [doubled, doubled]
  expect(findDeepValue(doubled)?.message).toContain('more than 64 MB')
})
