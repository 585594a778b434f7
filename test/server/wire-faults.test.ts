import { Agent, request as sendHttp } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fetchFrom } from '../../src/sandbox/fetch.ts'
import { middleware } from '../../src/server/middleware.ts'
import { serveSandbox } from '../../src/server/start-server.ts'
import { toPieces } from '../../src/sandbox/delivery.ts'
import type { WireFault } from '../../src/contract/wire-fault.ts'
import { createSandbox } from '../../src/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { MSWS } from '../support/msw.ts'
import type { Msw } from '../support/msw.ts'
import { sendRaw, serve } from '../support/transports.ts'
import { AGENCY, aWorld } from '../support/worlds.ts'

const headers = { authorization: `Bearer ${AGENCY}` }
const { sandbox: whole, body: BODY } = await aSandbox()
const HALF = BODY.slice(0, Math.floor(BODY.length / 2))
const TEN_MINUTES = 600_000
/** Long enough that a body stays incomplete, short enough that its first piece arrives soon. */
const A_WHILE = 4_000

async function aSandbox() {
  const sandbox = await createSandbox({ fixtures: aWorld() })
  const response = await sandbox.fetch('/api/v1/me', { headers })
  return { sandbox, body: await response.text() }
}

/** A sandbox whose responses this fault affects, except those to requests with the query `spared`. */
function faulty(wire: WireFault): Sandbox {
  const answer: Sandbox['answer'] = (request) => {
    const response = whole.answer(request)
    return request.query === 'spared' ? response : { ...response, wire }
  }
  return { ...whole, answer }
}

/** A way to reach a faulty sandbox: a fetch that takes a path, open until the test ends. */
interface Reach {
  name: string
  open: (wire: WireFault) => Promise<(path: string, init?: RequestInit) => Promise<Response>>
}

const REACHES: Reach[] = [
  {
    name: 'sandbox.fetch',
    open: async (wire) => {
      const { answer } = faulty(wire)
      return (path, init) => fetchFrom(answer, path, { headers, ...init })
    },
  },
  {
    name: 'HTTP',
    open: async (wire) => {
      const server = await serve(middleware(faulty(wire)))
      onTestFinished(() => server[Symbol.asyncDispose]())
      const base = `http://127.0.0.1:${server.port}`
      return (path, init) => fetch(`${base}${path}`, { headers, ...init })
    },
  },
  ...MSWS.map((msw) => ({
    name: msw.name,
    open: async (wire: WireFault) => {
      intercept(msw, wire)
      return (path: string, init?: RequestInit) => fetch(`${BASE}${path}`, { headers, ...init })
    },
  })),
]

const BASE = 'http://seo.example.com'

function intercept(msw: Msw, wire: WireFault): void {
  const server = msw.intercept(msw.handlers(faulty(wire), { baseUrl: BASE }))
  onTestFinished(() => server.close())
}

/** The part of a body that arrives, and the error that ends it. */
async function readAll({ body }: Response): Promise<{ text: string; error?: unknown }> {
  const chunks: Uint8Array[] = []
  const read = (): string => Buffer.concat(chunks).toString()
  try {
    for await (const chunk of body ?? []) chunks.push(chunk as Uint8Array)
    return { text: read() }
  } catch (error) {
    return { text: read(), error }
  }
}

describe.each(REACHES)('over $name', ({ open }) => {
  test.each<[string, WireFault]>([
    ['no fault', {}],
    ['a delay', { delayMs: 20 }],
    ['both', { delayMs: 20, bodyMs: 20 }],
  ])('a response arrives in full after %s', async (_, wire) => {
    const send = await open(wire)
    const response = await send('/api/v1/me')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json',
    ])
    expect(await readAll(response)).toEqual({ text: BODY })
  })

  test.each<[string, WireFault]>([
    ['delayed', { delayMs: TEN_MINUTES }],
    ['that never arrives', { end: 'silence' }],
  ])('a response %s keeps only its own client waiting, until that gives up', async (_, wire) => {
    const send = await open(wire)
    const patience = new AbortController()
    const response = send('/api/v1/me', { signal: patience.signal })
    const other = await send('/api/v1/me?spared')
    expect(await other.text()).toBe(BODY)
    const reason = new Error('enough')
    patience.abort(reason)
    await expect(response).rejects.toBe(reason)
  })

  test.each<[string, WireFault]>([
    ['at once', { end: 'reset' }],
    ['after a delay', { delayMs: 5, end: 'reset' }],
  ])('a connection that is reset %s is a TypeError', async (_, wire) => {
    const send = await open(wire)
    await expect(send('/api/v1/me')).rejects.toThrow(TypeError)
    expect((await send('/api/v1/me?spared')).status).toBe(200)
  })

  test.each<[string, WireFault]>([
    ['', { end: 'truncated' }],
    [' and slow', { bodyMs: 20, end: 'truncated' }],
  ])('a body that is truncated%s breaks off half-way', async (_, wire) => {
    const send = await open(wire)
    const response = await send('/api/v1/me')
    expect(response.status).toBe(200)
    const { text, error } = await readAll(response)
    expect(text).toBe(HALF)
    expect(error).toBeInstanceOf(TypeError)
  })

  test('a slow body comes in pieces', async () => {
    const send = await open({ bodyMs: A_WHILE })
    const { body } = await send('/api/v1/me')
    const reader = body?.getReader()
    const piece = Buffer.from((await reader?.read())?.value ?? []).toString()
    expect([piece.length > 0, BODY.startsWith(piece), piece === BODY]).toEqual([true, true, false])
    // Not awaited: msw keeps a copy of the stream, and only both together can be cancelled.
    void reader?.cancel()
  })

  test('a HEAD request has no body that a fault could affect', async () => {
    const send = await open({ end: 'truncated' })
    const response = await send('/api/v1/me', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

test('sandbox.fetch reports connection errors like the fetch of Node', async () => {
  const reset = fetchFrom(faulty({ end: 'reset' }).answer, '/api/v1/me', { headers })
  await expect(reset).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNRESET' },
  })
  const truncated = await fetchFrom(faulty({ end: 'truncated' }).answer, '/api/v1/me', { headers })
  await expect(truncated.text()).rejects.toThrow('terminated')
})

test('a delay passes in real time under fake timers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const response = await fetchFrom(faulty({ delayMs: 5 }).answer, '/api/v1/me', { headers })
  expect(await response.text()).toBe(BODY)
})

test('a slow body stops once its reader aborts', async () => {
  const leaving = new AbortController()
  const pieces: string[] = []
  const body = new TextEncoder().encode('piece by piece')
  for await (const piece of toPieces(
    body,
    { bodyMs: 200 },
    { signal: leaving.signal, followsTimers: false },
  )) {
    pieces.push(Buffer.from(piece).toString())
    leaving.abort()
  }
  expect(pieces).toEqual(['piece b'])
})

/** The response to a request of node:http; rejects with its error. */
function exchange(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject).on('response', resolve).end()
  })
}

/** Waits until an event has happened this many times. */
class Counter {
  #left: number
  #resolve: () => void = () => undefined
  readonly complete = new Promise<void>((resolve) => {
    this.#resolve = resolve
  })

  constructor(times: number) {
    this.#left = times
  }

  count(): void {
    this.#left -= 1
    if (this.#left === 0) this.#resolve()
  }
}

describe('on the socket', () => {
  test('a response that was begun earlier causes a synchronous error, for the code in front to handle', async () => {
    const answer = middleware(whole)
    const thrown: unknown[] = []
    await using server = await serve((message, response) => {
      response.writeHead(200)
      try {
        answer(message, response)
      } catch (error) {
        thrown.push(error)
      }
      response.end()
    })
    await sendRaw(server.port, { target: '/api/v1/me', headers })
    expect(thrown).toMatchObject([{ code: 'ERR_HTTP_HEADERS_SENT' }])
  })

  test('a response that the code in front has sent meanwhile is left unchanged', async () => {
    const answer = middleware(whole)
    await using server = await serve((message, response) => {
      answer(message, response)
      response.writeHead(503).end('too late')
    })
    const { status, text } = await sendRaw(server.port, { target: '/api/v1/me', headers })
    expect({ status, text }).toEqual({ status: 503, text: 'too late' })
  })

  test('a reset is a TCP reset', async () => {
    await using server = await serve(middleware(faulty({ end: 'reset' })))
    const sent = sendRaw(server.port, { target: '/api/v1/me', headers })
    await expect(sent).rejects.toThrow('read ECONNRESET')
  })

  test('a truncated response states its full length and sends half of it', async () => {
    await using server = await serve(middleware(faulty({ end: 'truncated' })))
    const received = await new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = []
      connect(server.port, '127.0.0.1')
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => resolve(Buffer.concat(chunks).toString()))
        .on('error', reject)
        .write(`GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${AGENCY}\r\n\r\n`)
    })
    const [head = '', body] = received.split('\r\n\r\n')
    expect(head).toContain(`Content-Length: ${BODY.length}`)
    expect(body).toBe(HALF)
  })

  test.each<WireFault>([{ end: 'truncated' }, { bodyMs: TEN_MINUTES }])(
    'a HEAD request leaves its connection open for the next under any fault: %o',
    async (wire) => {
      await using server = await serve(middleware(faulty(wire)))
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      onTestFinished(() => agent.destroy())
      const to = { host: '127.0.0.1', port: server.port, agent, headers }
      const head = await exchange(sendHttp({ ...to, path: '/api/v1/me', method: 'HEAD' }))
      await head.toArray()
      const next = sendHttp({ ...to, path: '/api/v1/me?spared' })
      expect([(await exchange(next)).statusCode, next.reusedSocket]).toEqual([200, true])
    },
  )

  test('a client that disconnects ends the delay of its response', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const arrivals = new Counter(50)
    const onResponse = (): void => arrivals.count()
    await using server = await serve(middleware(faulty({ delayMs: TEN_MINUTES }), { onResponse }))
    const clients = Array.from({ length: 50 }, () =>
      sendHttp({ host: '127.0.0.1', port: server.port, path: '/api/v1/me', agent: false })
        .on('error', () => undefined)
        .end(),
    )
    await arrivals.complete
    expect(timers() - before).toBeGreaterThan(40)
    for (const client of clients) client.destroy()
    await vi.waitUntil(() => timers() - before < 10)
  })

  test('a server closes while a response is delayed', async () => {
    const arrival = new Counter(1)
    const onResponse = (): void => arrival.count()
    const { sandbox } = await aSandbox()
    sandbox.world.handle = faulty({ delayMs: TEN_MINUTES }).answer
    const server = await serveSandbox(sandbox, { port: 0, onResponse })
    const sent = sendRaw(server.port, { target: '/api/v1/me', headers })
    const lost = expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' })
    await arrival.complete
    await server.close()
    await lost
  })
})

describe.each(MSWS.map((msw) => [msw.name, msw] as const))('node:http through %s', (_, msw) => {
  const get = (): Promise<IncomingMessage> =>
    exchange(sendHttp(`${BASE}/api/v1/me`, { headers, agent: false }))

  test('reports a reset as an error', async () => {
    intercept(msw, { end: 'reset' })
    await expect(get()).rejects.toThrow()
  })

  test('reports a truncated body as a stream that fails', async () => {
    intercept(msw, { end: 'truncated' })
    const chunks: Buffer[] = []
    const read = async (): Promise<void> => {
      for await (const chunk of await get()) chunks.push(chunk as Buffer)
    }
    await expect(read()).rejects.toThrow()
    expect(HALF).toContain(Buffer.concat(chunks).toString())
  })
})
