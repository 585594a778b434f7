import { getEventListeners } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { expect, test } from 'vitest'
import { PROBLEMS, STATUS_TEXTS } from '../../src/contract/problems.ts'
import { createSandbox } from '../../src/index.ts'
import type { FaultInput } from '../../src/index.ts'
import { AGENCY, aToken, aWorld } from '../support/worlds.ts'

const authorization = `Bearer ${AGENCY}`
const URL_OF_ME = 'https://any.host/api/v1/me'

test.each<[string, string | URL | Request, RequestInit | undefined]>([
  ['a URL and plain headers', URL_OF_ME, { headers: { authorization } }],
  ['a URL object and Headers', new URL(URL_OF_ME), { headers: new Headers({ authorization }) }],
  ['pairs of headers', URL_OF_ME, { headers: [['Authorization', authorization]] }],
  ['a Request', new Request(URL_OF_ME, { headers: { authorization } }), undefined],
  ['a Request and other headers', new Request(URL_OF_ME), { headers: { authorization } }],
  ['a path alone', '/api/v1/me', { headers: { authorization } }],
  ['a method in lower case', URL_OF_ME, { method: 'get', headers: { authorization } }],
])('sandbox.fetch accepts %s', async (_, input, init) => {
  const { fetch } = await createSandbox({ fixtures: aWorld() })
  const response = await fetch(input, init)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(await response.json()).toMatchObject({ id: 1 })
})

test.each<[title: string, input: string | URL | Request, url: string]>([
  ['text', `${URL_OF_ME}?page=2#top`, `${URL_OF_ME}?page=2`],
  ['a URL', new URL('https://any.host:8080/api/v1/me?'), 'https://any.host:8080/api/v1/me'],
  ['a Request', new Request(URL_OF_ME), URL_OF_ME],
  ['a path', '/api/v1/me', 'http://localhost/api/v1/me'],
])('a response and its clones have the URL of the request: %s', async (_, input, url) => {
  const { fetch } = await createSandbox({ fixtures: aWorld() })
  const response = await fetch(input)
  const clone = response.clone()
  expect([response.url, clone.url, clone.clone().url]).toEqual([url, url, url])
  expect(await clone.text()).toBe(await response.text())
})

test('a page link, resolved against the URL of its response, leads to that page', async () => {
  const { fetch } = await createSandbox()
  const headers = { authorization: 'Bearer sandbox-unlimited' }
  const first = await fetch('https://any.host/api/v1/projects?per_page=5', { headers })
  const { links } = (await first.json()) as { links: { next: string } }
  const second = await fetch(new URL(links.next, first.url), { headers })
  expect(await second.json()).toMatchObject({ meta: { current_page: 2 } })
})

test('every status has the reason phrase that Node sends', () => {
  const statuses = [200, ...Object.values(PROBLEMS).map(({ status }) => status)]
  for (const status of statuses) expect(STATUS_TEXTS[status]).toBe(STATUS_CODES[status])
  expect(Object.keys(STATUS_TEXTS)).toHaveLength(new Set(statuses).size)
})

test.each<[path: string, faults: FaultInput[], expected: [number, string]]>([
  ['/api/v1/me', [], [200, 'OK']],
  ['/api/v1/projects/99', [], [404, 'Not Found']],
  ['/api/v1/me', [{ kind: 'status', status: 503 }], [503, 'Service Unavailable']],
  ['/api/v1/me', [{ kind: 'html' }, { kind: 'slow-body', ms: 0 }], [502, 'Bad Gateway']],
])('a response to %s with the faults %j has its statusText', async (path, list, expected) => {
  const { fetch, faults } = await createSandbox({ fixtures: aWorld() })
  await faults.set(list)
  const { status, statusText } = await fetch(path, { headers: { authorization } })
  expect([status, statusText]).toEqual(expected)
})

test('sandbox.fetch has the type of fetch', async () => {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const client: typeof fetch = sandbox.fetch
  expect((await client(URL_OF_ME)).status).toBe(401)
})

test('sandbox.fetch refuses what fetch refuses', async () => {
  const { fetch } = await createSandbox({ fixtures: aWorld() })
  const reason = new Error('enough')
  await expect(fetch(URL_OF_ME, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const aborted = new Request(URL_OF_ME, { signal: AbortSignal.abort(reason) })
  await expect(fetch(aborted)).rejects.toBe(reason)
  expect((await fetch(aborted, { signal: null })).status).toBe(401)
  await expect(fetch('http://')).rejects.toThrow(TypeError)
  await expect(fetch(URL_OF_ME, { headers: { 'bad name': 'x' } })).rejects.toThrow(TypeError)
  const withBody = { method: 'GET', body: 'x' }
  await expect(fetch(URL_OF_ME, withBody)).rejects.toThrow(TypeError)
})

test('a HEAD request has the headers and no body', async () => {
  const { fetch } = await createSandbox({ fixtures: aWorld() })
  const response = await fetch(URL_OF_ME, { method: 'HEAD', headers: { authorization } })
  expect([response.status, response.body]).toEqual([200, null])
})

test('clientIp is the address that an allow-list sees; 127.0.0.1 by default', async () => {
  const token = aToken({ id: 1, token: AGENCY, allowed_ips: ['203.0.113.0/24'] })
  const { fetch } = await createSandbox({ fixtures: aWorld({ tokens: [token] }) })
  const headers = { authorization }
  expect((await fetch(URL_OF_ME, { headers })).status).toBe(403)
  expect((await fetch(URL_OF_ME, { headers, clientIp: '203.0.113.9' })).status).toBe(200)
})

const KINDS = ['latency', 'slow-body', 'truncated-body'] as const
const ENDS: { end: string; after: (response: Response) => Promise<unknown> }[] = [
  { end: 'is read', after: (response) => response.text() },
  { end: 'is cancelled', after: async ({ body }) => body?.cancel() },
  { end: 'is never read', after: async () => undefined },
]

test.each(KINDS.flatMap((kind) => ENDS.map((one) => ({ kind, ...one }))))(
  'a signal that many requests share keeps no listener for a response with $kind that $end',
  async ({ kind, after }) => {
    const { fetch, faults } = await createSandbox({ fixtures: aWorld() })
    await faults.set([kind === 'truncated-body' ? { kind } : { kind, ms: 0 }])
    const { signal } = new AbortController()
    for (let index = 0; index < 30; index += 1) {
      const response = await fetch(URL_OF_ME, { headers: { authorization }, signal })
      await after(response).catch(() => undefined)
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  },
)

test('a slow body fails with the reason of a signal that is aborted before it is read', async () => {
  const { fetch, faults } = await createSandbox({ fixtures: aWorld() })
  await faults.set([{ kind: 'slow-body', ms: 600_000 }])
  const stop = new AbortController()
  const response = await fetch(URL_OF_ME, { headers: { authorization }, signal: stop.signal })
  const reason = new Error('enough')
  stop.abort(reason)
  await expect(response.text()).rejects.toBe(reason)
})
