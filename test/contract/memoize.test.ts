import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoize } from '../../src/contract/memoize.ts'

const Text = fc.oneof(fc.string({ maxLength: 2 }), fc.string({ minLength: 190, maxLength: 220 }))

test('a remembered function gives what it gives when asked for the first time', () => {
  const lengthOf = (text: string) => (text === '' ? undefined : { text, length: text.length })
  fc.assert(
    fc.property(fc.array(Text, { maxLength: 50 }), (texts) => {
      const remembered = memoize(lengthOf)
      for (const text of texts) expect(remembered(text)).toEqual(lengthOf(text))
    }),
  )
})

test('what a short text came to is worked out once, and no more than 5,000 of them are held', () => {
  let computed = 0
  const remembered = memoize((text) => {
    computed += 1
    return { text }
  })
  expect(remembered('one')).toBe(remembered('one'))
  expect(computed).toBe(1)
  for (let count = 0; count < 5000; count += 1) remembered(String(count))
  remembered('one')
  expect(computed).toBe(5002)
})
