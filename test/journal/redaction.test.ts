import { expect, test } from 'vitest'
import { redact, redactTarget } from '../../src/journal/redaction.ts'

/** No bearer value is shown, also where one is the beginning of another. */

const SECRETS = [
  { value: 'northlight', placeholder: '[token 1]' },
  { value: 'northlight-live', placeholder: '[token 2]' },
  { value: 'northlight-live-2', placeholder: '[token 3]' },
]

test.each([SECRETS, SECRETS.toReversed()])('the longest value is replaced first', (...secrets) => {
  const text = 'northlight-live-2, northlight-live, northlight.'
  expect(redact(text, secrets)).toBe('[token 3], [token 2], [token 1].')
})

test('also in a request target, percent-encoded or not', () => {
  expect(redactTarget('/me?token=northlight-live', SECRETS)).toBe('/me?token=[token 2]')
  expect(redactTarget('/me?token=northlight%2Dlive', SECRETS)).toBe('/me?token=[token 2]')
  expect(redactTarget('/a%20b?token=northlight', SECRETS)).toBe('/a%20b?token=[token 1]')
  const looksEncoded = [{ value: 'abc%41def', placeholder: '[token 4]' }]
  expect(redactTarget('/me?token=abc%41def', looksEncoded)).toBe('/me?token=[token 4]')
})
