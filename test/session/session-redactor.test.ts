import { expect, test } from 'vitest'
import { BearerFinder } from '../../src/journal/bearer-finder.ts'
import { createSessionRedactor } from '../../src/session/session-writer.ts'

/** A session contains no bearer value, even if one is the beginning of another. */

const redactor = createSessionRedactor({
  owners: new Map([
    ['northlight', 1],
    ['northlight-live', 2],
    ['abc%41def', 3],
  ]),
  others: new BearerFinder(['northlight-live-2']),
  hasMagicTokens: false,
})

test.each([
  ['/me?token=northlight', '/me?token=token-1'],
  ['/me?token=northlight-live', '/me?token=token-2'],
  ['/me?token=northlight%2Dlive', '/me?token=token-2'],
  ['/me?token=northlight%2Dlive-2', '/me?token=unknown'],
  ['/me?token=abc%41def', '/me?token=token-3'],
  ['/a%20b', '/a%20b'],
  ['/a%20b?token=northlight', '/a%20b?token=token-1'],
])('%s is recorded as %s', (target, expected) => {
  expect(redactor.inTarget(target, encodeURI)).toBe(expected)
})
