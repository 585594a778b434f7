import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, expectTypeOf, test, vi } from 'vitest'
import { headerIn, READ_HEADERS } from '../../src/engine/messages.ts'
import type { ApiRequest, ReadHeader } from '../../src/engine/messages.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { LOGGED_HEADERS, fromLoggedRequest, toLoggedRequest } from '../../src/store/log-entry.ts'
import type { LoggedRequest } from '../../src/store/log-entry.ts'
import { aSituation, START } from '../contract/gap-flips.ts'
import type { RequestStep } from '../contract/gap-flips.ts'
import { fromRoot } from '../support/cli.ts'
import { isFullDepth, runs } from '../support/depth.ts'
import { createPlayer } from './random-steps.ts'

/** A logged request in a store has few of its headers, but is answered and reviewed as with all of them. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

type Headers = readonly (readonly [name: string, value: string])[]

const CURL: Headers = [
  ['Host', 'seo.example.com'],
  ['User-Agent', 'curl/8.14.1'],
  ['Accept', '*/*'],
]

const BROWSER: Headers = [
  ['host', 'seo.example.com'],
  ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0'],
  ['accept', 'application/json'],
  ['accept-encoding', 'gzip, deflate, br, zstd'],
  ['accept-language', 'da-DK,da;q=0.9,en;q=0.8'],
  ['cookie', 'session=of-another-program'],
  ['origin', 'https://app.example'],
  ['referer', 'https://app.example/reports?page=2'],
  ['sec-ch-ua', '"Chromium";v="142"'],
  ['sec-ch-ua-mobile', '?0'],
  ['sec-fetch-dest', 'empty'],
  ['sec-fetch-mode', 'cors'],
  ['sec-fetch-site', 'cross-site'],
  ['if-none-match', '"of-an-answer-before"'],
  ['cache-control', 'no-cache'],
  ['priority', 'u=1, i'],
]

const BY_HAPROXY: Headers = [
  ['x-request-id', '2f6f6bd8-64b3-4a3a-9a52-0c7e6a4d1f00'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-host', 'seo.example.com'],
  ['x-forwarded-for', '203.0.113.7'],
  ['via', '1.1 proxy.example'],
  ['forwarded', 'for=203.0.113.7;proto=https'],
  ['x-real-ip', '203.0.113.7'],
]

const PHP: Headers = [
  ['user-agent', 'GuzzleHttp/7'],
  ['host', 'seo.example.com'],
  ['content-type', 'application/json'],
  ...BY_HAPROXY,
]

const PREFLIGHT: Headers = [
  ['Origin', 'https://app.example'],
  ['Access-Control-Request-Method', 'GET'],
  ['Access-Control-Request-Headers', 'authorization,x-trace'],
  ['Sec-Fetch-Mode', 'cors'],
]

const WEIRD: Headers = [
  ['ACCEPT', 'text/html;q=0.9'],
  ['accept', ''],
  ['Origin', 'null'],
  ['oRiGiN', 'https://other.example'],
  ['AUTHORIZATION', 'Bearer nobody'],
  ['authorization ', 'Bearer somebody'],
  [':authority', 'seo.example.com'],
  ['', ''],
  ['__proto__', 'constructor'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Range', 'bytes=0-1'],
  ['X-Api-Key', 'a key'],
  ['TOKEN', ''],
  ['User-Agent', 'x'.repeat(5000)],
  ['Expect', '100-continue'],
  ['Last-Event-ID', '7'],
]

const anyHeaders: fc.Arbitrary<Headers> = fc.oneof(
  fc.constantFrom(CURL, BROWSER, [...BROWSER, ...BY_HAPROXY], PHP, PREFLIGHT),
  fc.shuffledSubarray([...WEIRD, ...CURL, ...BROWSER, ...BY_HAPROXY]),
  fc.array(fc.tuple(fc.string({ maxLength: 12 }), fc.string()), { maxLength: 5 }),
)

/** A request with these headers and those that it was drawn with. */
function withHeaders(
  { request: { authorization, accept, ...rest } }: RequestStep,
  others: Headers,
): ApiRequest {
  const own = Object.entries({ Authorization: authorization, Accept: accept })
  const sent = [...own.filter((pair) => pair[1] !== undefined), ...others] as Headers
  const headers = sent.flat()
  return { ...rest, headers, header: (name) => headerIn(headers, name) }
}

const PLAIN: RequestStep = {
  request: { method: 'GET', path: '/', query: '', clientIp: '::1', origin: 'http://localhost' },
}

/** Everything that is kept of all requests, except their headers and durations. */
async function observe(sandbox: Sandbox): Promise<object> {
  const requests = sandbox.requests.matching({}).map((shown) => ({ ...shown, duration_ms: null }))
  return { requests, review: sandbox.review(), session: await sandbox.session() }
}

test('whatever headers a client sends, it is answered and reviewed as without a store', async () => {
  const names = new Set<string>()
  const situations = fc.tuple(aSituation, fc.array(anyHeaders, { minLength: 1, maxLength: 9 }))
  await fc.assert(
    fc.asyncProperty(situations, async ([{ world, policies, before, request }, headers]) => {
      vi.setSystemTime(START)
      const options = { ...world, policies, showGaps: true }
      const [plain, logged] = [await createSandbox(options), await createSandbox(options)]
      const [playPlain, playLogged] = [createPlayer(plain), createPlayer(logged)]
      for (const [at, step] of [...before, request, request].entries()) {
        if ('request' in step) {
          const sent = withHeaders(step, headers[at % headers.length]!)
          const { header } = sent
          const answer = plain.answer({
            ...sent,
            header: (name) => header(names.add(name) && name),
          })
          const entry = JSON.stringify(toLoggedRequest(sent))
          expect(logged.answer(fromLoggedRequest(JSON.parse(entry) as LoggedRequest))).toEqual(
            answer,
          )
        } else if ('passMs' in step) {
          vi.setSystemTime(Date.now() + step.passMs)
        } else {
          expect(await playLogged(step)).toBe(await playPlain(step))
        }
      }
      expect(await observe(logged)).toEqual(await observe(plain))
    }),
    { numRuns: runs(600) },
  )
  if (isFullDepth) expect([...names].toSorted()).toEqual(READ_HEADERS.toSorted())
})

test('only headers that the log keeps can be read of a request', () => {
  expectTypeOf<Parameters<ApiRequest['header']>>().toEqualTypeOf<[name: ReadHeader]>()
  for (const name of READ_HEADERS) expect(LOGGED_HEADERS.has(name)).toBe(true)
})

test('the log keeps who the client is and what a browser asks first, and nothing of proxies or other programs', () => {
  const headersOf = (headers: Headers) => toLoggedRequest(withHeaders(PLAIN, headers)).at(-1)
  expect(headersOf(CURL)).toEqual(CURL.flat())
  expect(headersOf([['X-API-Key', 'a-key-of-another-system']])).toEqual(['X-API-Key', ''])
  expect(headersOf([...BROWSER, ...BY_HAPROXY])).toEqual([
    ...BROWSER.slice(0, 3).flat(),
    'origin',
    'https://app.example',
  ])
  expect(headersOf(PHP)).toEqual(PHP.slice(0, 2).flat())
  expect(headersOf(PREFLIGHT)).toEqual(PREFLIGHT.slice(0, 3).flat())
})

test('docs/journal.md names the headers that a store keeps', async () => {
  const text = await readFile(fromRoot('docs/journal.md'), 'utf8')
  const [, stated = ''] = /With a store it has only ([^.]*)/.exec(text) ?? []
  const names = [...stated.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.toLowerCase())
  expect(names.toSorted()).toEqual([...LOGGED_HEADERS].toSorted())
})
