import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoize } from '../../src/contract/memoize.ts'

const Text = fc.oneof(fc.string({ maxLength: 2 }), fc.string({ minLength: 190, maxLength: 220 }))

test('a memoized function returns what the function returns', () => {
  const lengthOf = (text: string) => (text === '' ? undefined : { text, length: text.length })
  fc.assert(
    fc.property(fc.array(Text, { maxLength: 50 }), (texts) => {
      const memoized = memoize(lengthOf)
      for (const text of texts) expect(memoized(text)).toEqual(lengthOf(text))
    }),
  )
})

test('the result for a short text is computed once, and at most 5,000 results are cached', () => {
  let computed = 0
  const memoized = memoize((text) => {
    computed += 1
    return { text }
  })
  expect(memoized('one')).toBe(memoized('one'))
  expect(computed).toBe(1)
  for (let count = 0; count < 5000; count += 1) memoized(String(count))
  memoized('one')
  expect(computed).toBe(5002)
})
