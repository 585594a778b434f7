import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ResponseBodies } from '../../src/journal/journal.ts'
import { keepHeaders, MAXIMUM_HEADERS } from '../../src/journal/recorded-request.ts'
import { startServer } from '../../src/server.ts'
import type { SandboxServer } from '../../src/server.ts'
import { sendRaw } from '../support/transports.ts'
import type { TestResponse } from '../support/transports.ts'
import { AGENCY, aReport, aToken, withReports } from '../support/worlds.ts'

/** The journal: the headers of requests, and the bodies of responses while somebody looks at them. */

const KEY = 'the-admin-key-of-this-test'

let server: SandboxServer
beforeEach(async () => {
  const tokens = [aToken({ id: 1, token: AGENCY, name: 'Agency' })]
  server = await startServer({
    port: 0,
    fixtures: withReports([aReport({ id: 7 })], { tokens }),
    adminKey: KEY,
  })
  await server.sandbox.reset()
})
afterEach(() => server.close())

function control(path: string): Promise<TestResponse> {
  const headers = { authorization: `Bearer ${KEY}` }
  return sendRaw(server.port, { target: `/_sandbox${path}`, headers })
}

async function ask(headers: Record<string, string> = {}, path = '/me'): Promise<TestResponse> {
  const authorization = `Bearer ${AGENCY}`
  const target = `/api/v1${path}`
  return sendRaw(server.port, { target, headers: { authorization, ...headers } })
}

/** The last request of the journal with its headers, and all kept parts of the response. */
async function lastDetail(): Promise<any> {
  const { sequence } = server.sandbox.world.journal
  return (await control(`/requests/${sequence}`)).body
}

/** Opens a stream that wants bodies; the returned function closes it. */
async function watchBodies(query = '?bodies=true'): Promise<() => void> {
  const stop = new AbortController()
  const { signal } = stop
  const headers = { authorization: `Bearer ${KEY}`, 'last-event-id': '0' }
  const { body } = await fetch(`${server.url}/_sandbox/requests/stream${query}`, {
    headers,
    signal,
  })
  // The stream has begun once its first event, the reset, arrives.
  await body?.getReader().read()
  return () => stop.abort()
}

test('what else a review rests on: the page, the connection, the reports shown, and when an error was sent', async () => {
  await ask({ Origin: `http://page.example/${KEY}` }, '/projects/1/reports')
  const read = await lastDetail()
  const reports = [{ id: 7, report_number: 7, status: 'pending' }]
  expect(read).toMatchObject({ page_origin: 'http://page.example/[token]' })
  expect([read.reports, read.connection]).toEqual([reports, expect.any(Number)])

  await ask({}, '/projects/999')
  const refused = await lastDetail()
  expect(refused).toMatchObject({ page_origin: null, reports: null })
  expect(refused.connection).not.toBe(read.connection)
  for (const { sent_at: sentAt, clock } of [read, refused])
    expect(sentAt >= clock.rate_clock).toBe(true)

  const faults = [{ kind: 'slow-body' as const, ms: 30 }]
  await server.sandbox.command({ type: 'fault.set', faults })
  await ask()
  const slow = await lastDetail()
  expect(Date.parse(slow.sent_at) - Date.parse(slow.clock.rate_clock)).toBeGreaterThanOrEqual(25)
  await server.sandbox.command({ type: 'fault.set', faults: [] })
  await server.sandbox.fetch(`${server.url}/api/v1/me`)
  expect(await lastDetail()).toMatchObject({ connection: null, sent_at: null })
})

describe('the headers of a request', () => {
  test('are kept as they were sent, without credentials and cookies', async () => {
    await ask({
      'User-Agent': 'client/1.0',
      'X-Trace': 'one two',
      Cookie: 'session=of-another-program',
      'Proxy-Authorization': 'Basic c2VjcmV0',
      Referer: `http://page.example/?key=${KEY}`,
    })
    const { request_headers, omitted_headers } = await lastDetail()
    expect(request_headers).toEqual(
      expect.arrayContaining([
        { name: 'authorization', value: 'Bearer [token 1]' },
        { name: 'User-Agent', value: 'client/1.0' },
        { name: 'X-Trace', value: 'one two' },
        { name: 'Cookie', value: '[cookie]' },
        { name: 'Proxy-Authorization', value: 'Basic [token]' },
        { name: 'Referer', value: 'http://page.example/?key=[token]' },
      ]),
    )
    expect(omitted_headers).toBe(0)
  })

  test('are those of the archive too', async () => {
    await ask({ 'X-Trace': 'one' })
    const { body } = await control('/requests.har')
    const [entry] = body.log.entries
    const detail = await lastDetail()
    expect(entry.request.headers).toEqual(detail.request_headers)
    expect(entry.response.headers).toEqual(detail.response_headers)
  })

  test('are those of each request, whether or not the next one sends the same', async () => {
    for (const note of ['one', 'one', 'two', 'one']) await ask({ 'X-Note': note })
    const { body } = await control('/requests.har')
    const notes = body.log.entries.map(
      ({ request }: any) => request.headers.find(({ name }: any) => name === 'X-Note').value,
    )
    expect(notes).toEqual(['one', 'one', 'two', 'one'])
  })

  test('beyond 4 kB are left out, and counted', async () => {
    await ask({ 'X-Short': 'kept', 'X-Long': 'x'.repeat(4100), 'X-Last': 'kept too' })
    const { request_headers, omitted_headers } = await lastDetail()
    const names = request_headers.map(({ name }: any) => name)
    expect([names.includes('X-Long'), names.includes('X-Last'), omitted_headers]).toEqual([
      false,
      true,
      1,
    ])
  })

  test('take at most 4 kB, and all of them where they fit', () => {
    const texts = fc.array(fc.tuple(fc.string({ maxLength: 20 }), fc.nat(3000)), { maxLength: 9 })
    fc.assert(
      fc.property(texts, (headers) => {
        const sent = headers.flatMap(([name, length]) => [name, 'v'.repeat(length)])
        const { raw: kept = [], omitted } = keepHeaders(sent)
        expect(kept.join('').length).toBeLessThanOrEqual(MAXIMUM_HEADERS)
        expect(kept.length / 2 + omitted).toBe(headers.length)
        if (sent.join('').length <= MAXIMUM_HEADERS) expect(kept).toEqual(sent)
      }),
    )
  })
})

describe('the body of a response', () => {
  test('is kept from when a stream asks for bodies', async () => {
    await ask()
    expect((await lastDetail()).body).toBeNull()
    const close = await watchBodies()
    const { text } = await ask()
    expect((await lastDetail()).body).toBe(text)
    close()
  })

  test('is not kept for a stream that does not ask', async () => {
    const close = await watchBodies('')
    await ask()
    expect((await lastDetail()).body).toBeNull()
    close()
  })

  test('is not kept of a HEAD request, nor of one that got no response', async () => {
    const close = await watchBodies()
    const headers = { authorization: `Bearer ${AGENCY}` }
    await server.sandbox.fetch('/api/v1/me', { method: 'HEAD', headers })
    expect((await lastDetail()).body).toBeNull()
    await server.sandbox.faults.add({ kind: 'reset' })
    await expect(server.sandbox.fetch('/api/v1/me', { headers })).rejects.toThrow()
    expect(await lastDetail()).toMatchObject({ status: 0, body: null })
    close()
  })

  test('is forgotten with the requests and in a reset, and kept again after both', async () => {
    const close = await watchBodies()
    await ask()
    const { sequence } = server.sandbox.world.journal
    await server.sandbox.requests.clear()
    expect((await control(`/requests/${sequence}`)).status).toBe(404)
    const { text } = await ask()
    expect((await lastDetail()).body).toBe(text)
    await server.sandbox.reset()
    await ask()
    expect((await lastDetail()).body).toBe(text)
    close()
  })

  test('is not shown with a bearer value in it, though the client gets it', async () => {
    const close = await watchBodies()
    const { text } = await ask({}, `/projects?search=${KEY}`)
    expect(text).toContain(KEY)
    const { body } = await lastDetail()
    expect(body).toBe(text.replaceAll(KEY, '[token]'))
    close()
  })
})

describe('bodies together', () => {
  const body = (bytes: number) => new Uint8Array(bytes)

  test('are those of the last 200 responses', () => {
    const bodies = new ResponseBodies()
    bodies.watch()
    for (let sequence = 1; sequence <= 300; sequence += 1) bodies.add(sequence, body(1))
    expect([100, 101, 300].map((sequence) => bodies.get(sequence)?.byteLength)).toEqual([
      undefined,
      1,
      1,
    ])
  })

  test('take at most 8 MB, and a larger one is not kept', () => {
    const bodies = new ResponseBodies()
    bodies.watch()
    const megabyte = 2 ** 20
    for (let sequence = 1; sequence <= 6; sequence += 1) bodies.add(sequence, body(3 * megabyte))
    expect([4, 5, 6].map((sequence) => bodies.get(sequence) !== undefined)).toEqual([
      false,
      true,
      true,
    ])
    bodies.add(7, body(8 * megabyte + 1))
    expect([5, 6, 7].map((sequence) => bodies.get(sequence) !== undefined)).toEqual([
      true,
      true,
      false,
    ])
  })

  test('are freed with the last of those who look at them, once each', () => {
    const bodies = new ResponseBodies()
    const [first, second] = [bodies.watch(), bodies.watch()]
    bodies.add(1, body(5))
    first()
    first()
    expect([bodies.isKeeping, bodies.get(1)?.byteLength]).toEqual([true, 5])
    second()
    expect([bodies.isKeeping, bodies.get(1)]).toEqual([false, undefined])
  })
})

test.each(['99', '0', 'first', '-1'])('there is no request %s', async (sequence) => {
  const { status, body } = await control(`/requests/${sequence}`)
  expect([status, body.error.code]).toEqual([404, 'record_not_found'])
  expect(body.error.message).toBe(
    `There is no request ${sequence} in the journal, which keeps the latest ones.`,
  )
})
