import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/index.ts'
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
