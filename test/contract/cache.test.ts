import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Cache, memoize, memoizeByObject } from '../../src/contract/cache.ts'
import { MemoryUse } from '../../src/contract/memory-use.ts'

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
  const memoized = memoize((text: string) => {
    computed += 1
    return { text }
  })
  expect(memoized('one')).toBe(memoized('one'))
  expect(computed).toBe(1)
  for (let count = 0; count < 5000; count += 1) memoized(String(count))
  expect(computed).toBe(5001)
  memoized('0')
  expect(computed).toBe(5002)
})

test('the result for an object is computed once, also where there is none', () => {
  const computed: object[] = []
  const memoized = memoizeByObject((key: { name?: string }) => {
    computed.push(key)
    return key.name
  })
  const [named, unnamed] = [{ name: 'one' }, {}]
  expect([named, unnamed, named, unnamed].map(memoized)).toEqual([
    'one',
    undefined,
    'one',
    undefined,
  ])
  expect(computed).toEqual([named, unnamed])
})

describe('a cache', () => {
  test('counts the memory of what it has, as a part of the whole that it belongs to', () => {
    const Step = fc.record({ key: fc.nat(9), size: fc.nat(60), revision: fc.nat(1) })
    fc.assert(
      fc.property(fc.array(Step), (steps) => {
        const [memory, whole] = [new MemoryUse(), new MemoryUse()]
        memory.moveTo(whole)
        const cache = new Cache<number, number>(100, (_, size) => size, memory)
        for (const { key, size, revision } of steps) {
          cache.at(revision).set(key, size)
          cache.get(key - 1)
          expect([memory.bytes, whole.bytes]).toEqual([cache.size, cache.size])
        }
        memory.moveTo(undefined)
        expect([memory.bytes, whole.bytes]).toEqual([cache.size, 0])
        cache.clear()
        expect(memory.bytes).toBe(0)
      }),
    )
  })

  test('returns a value until its revision or interval changes', () => {
    const cache = new Cache<string, number>(10)
    cache.at(1, 1).set('a', 1)
    expect(cache.at(1, 1).get('a')).toBe(1)
    expect(cache.at(1, 2).get('a')).toBeUndefined()
    cache.set('a', 1)
    expect(cache.at(2, 2).get('a')).toBeUndefined()
    cache.set('a', 1)
    cache.clear()
    expect(cache.get('a')).toBeUndefined()
  })

  test('evicts first what was not used', () => {
    const cache = new Cache<string, string>(3)
    for (const key of ['a', 'b', 'c']) cache.set(key, key)
    cache.get('a')
    cache.set('d', 'd')
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd'])
  })

  test('never exceeds its limit, knows its size, and returns nothing but what was set last', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd')
    const step = fc.tuple(key, fc.option(fc.integer({ min: 0, max: 12 })))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new Cache<string, number>(10, (_key, value) => value)
        const set = new Map<string, number>()
        for (const [name, value] of steps) {
          if (value === null) expect([undefined, set.get(name)]).toContain(cache.get(name))
          else {
            cache.set(name, value)
            set.set(name, value)
          }
          const kept = [...set.keys()].map((one) => cache.get(one) ?? 0)
          expect(cache.size).toBe(kept.reduce((sum, one) => sum + one, 0))
          expect(cache.size).toBeLessThanOrEqual(10)
        }
        expect(cache.size).toBeLessThanOrEqual(10)
      }),
    )
  })
})
