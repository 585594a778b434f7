import { expect, test } from 'vitest'
import { parseUrl } from '../../src/contract/url.ts'

test.each([
  ['https://æøå.example', 'xn--5cab8c.example'],
  ['http://[::1]:80/a?b#c', '[::1]'],
  ['æøå.example', undefined],
  ['https://', undefined],
])('%s has the host %s, however often it is parsed', (text, host) => {
  const hosts = Array.from({ length: 20_000 }, () => parseUrl(text)?.host)
  expect(new Set(hosts)).toEqual(new Set([host]))
})
