import { describe, expect, test } from 'vitest'
import { BearerFinder } from '../../src/journal/bearer-finder.ts'
import { Redactor } from '../../src/journal/secrets.ts'

/** No bearer value is shown, even if it is the beginning of another. */

const VALUES: [value: string, placeholder: string][] = [
  ['northlight', '[token 1]'],
  ['northlight-live', '[token 2]'],
  ['northlight-live-2', '[token 3]'],
  ['abc%41def', '[token 4]'],
  ['short', '[token 5]'],
  ['live-2-of-all', '[token 6]'],
]

describe.each([[VALUES], [VALUES.toReversed()]])('with values in the order %j', (values) => {
  const redactor = new Redactor({
    placeholders: new Map(values),
    others: new BearerFinder(['northlight-test']),
    foreign: '[token]',
  })

  test.each([
    ['northlight-live-2, northlight-live, northlight.', '[token 3], [token 2], [token 1].'],
    ['northlight-test', '[token]'],
    // Overlapping values are replaced together.
    ['northlight-live-2-of-all', '[token 3]'],
    // A short value is replaced only as a word of its own.
    ['short-lived, shortly', '[token 5]-lived, shortly'],
    ['sandbox-agency~w12-0123456789abcdef', '[token]'],
    [`a world-key~w12-${'0a'.repeat(32)}, and`, 'a [token], and'],
    [`the code w12-${'0a'.repeat(32)}, and`, 'the code [token], and'],
  ])('the text %j is shown as %j', (text, shown) => {
    expect(redactor.inText(text)).toBe(shown)
  })

  test.each([
    ['/me?key=northlight-live', '/me?key=[token 2]'],
    ['/me?key=northlight%2Dlive', '/me?key=[token 2]'],
    ['/a%20b?key=northlight', '/a%20b?key=[token 1]'],
    ['/me?key=abc%41def', '/me?key=[token 4]'],
    [`/me?claim=w12-${'0a'.repeat(32)}&page=2`, '/me?claim=[token]&page=2'],
    [`/w%31-${'0a'.repeat(32)}`, '/[token]'],
  ])('the target %s is shown as %s', (target, shown) => {
    expect(redactor.inTarget(target)).toBe(shown)
  })

  test.each([
    ['Bearer northlight', 'Bearer [token 1]'],
    ['DPoP  northlight-live', 'DPoP  [token 2]'],
    ['Bearer something', 'Bearer [token]'],
    ['northlight', 'unknown'],
    [' northlight', ' [token 1]'],
    ['something else', 'unknown [token]'],
  ])('the Authorization header %j is shown as %j', (header, shown) => {
    expect(redactor.inAuthorization(header)).toBe(shown)
  })

  test('a bearer value in the field of a token is replaced, and one anywhere else counts as altered', () => {
    const redact = (data: unknown) => redactor.inData(data)
    expect(redact({ token: 'northlight', name: 'North' })).toEqual({
      data: { token: '[token 1]', name: 'North' },
      isAltered: false,
    })
    expect(redact([{ name: 'of northlight', count: 1 }])).toEqual({
      data: [{ name: 'of [token 1]', count: 1 }],
      isAltered: true,
    })
  })
})
