import { once } from 'node:events'
import { createServer, request as sendHttp } from 'node:http'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BodyError } from '../../src/control-api/request-body.ts'
import { BodyCollector } from '../../src/server/body-collector.ts'

/** The collection of bodies: unpacked, up to a limit, in a bounded number, and not from a sender that stalls. */

const MEGABYTE = 2 ** 20
/** The largest body that is not counted. */
const SMALL = 2 ** 16

interface Collecting extends AsyncDisposable {
  port: number
  /** Begins a request with a body; `name` is in the outcome. */
  begin: (name: string, headers?: Record<string, string | number>) => ClientRequest
  /** The outcome of each request: its name, and the length of its body or the error. */
  outcomes: string[]
  /** Ends the handling of all collected bodies. */
  respond: () => void
  /** The bytes that arrived on the connection of a request. */
  bytesOf: (name: string) => number
}

/** A server that collects bodies of at most 5 MB; the header `x-key` is the world of a key. */
async function aServer({
  isHeld = false,
  checkIntervalMs = 100_000,
  /** Called before a body is collected. */
  before = (_request: IncomingMessage): Promise<unknown> => Promise.resolve(),
} = {}): Promise<Collecting> {
  const collector = new BodyCollector()
  const outcomes: string[] = []
  const held: ServerResponse[] = []
  const requests = new Map<string, IncomingMessage>()
  const server = createServer((request, response) => {
    const name = String(request.headers['x-name'])
    const key = request.headers['x-key'] as string | undefined
    const limit = { bytes: 5 * MEGABYTE, message: 'Send less.' }
    requests.set(name, request)
    void before(request)
      .then(() => collector.collect(response, limit, key, checkIntervalMs))
      .then(
        (body) => String(body?.length),
        (error: unknown) => (error instanceof BodyError ? error.code : String(error)),
      )
      .then((outcome) => {
        outcomes.push(`${name} ${outcome}`)
        if (!isHeld || !/\d$/.test(outcome)) collector.release(response)
        return isHeld ? held.push(response) : response.end(outcome)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    outcomes,
    respond: () => {
      for (const response of held.splice(0)) collector.release(response.end())
    },
    bytesOf: (name) => requests.get(name)?.socket.bytesRead ?? 0,
    begin: (name, headers = {}) => {
      const options = { method: 'POST', port, host: '127.0.0.1', agent: false as const }
      const sent = sendHttp({ ...options, headers: { 'x-name': name, ...headers } })
      sent.on('response', (response: IncomingMessage) => response.resume())
      sent.on('error', () => undefined)
      sent.flushHeaders()
      return sent
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('a body', () => {
  test.each(['identity', 'gzip', 'br'])(
    'in %s of a client that has gone before it is read is refused',
    async (encoding) => {
      const gone = async (request: IncomingMessage): Promise<void> => {
        client.destroy()
        await new Promise((resolve) => request.once('close', resolve))
      }
      await using server = await aServer({ before: gone })
      const packed = {
        identity: Buffer.from('{}'),
        gzip: gzipSync('{}'),
        br: brotliCompressSync('{}'),
      }
      const body = packed[encoding as keyof typeof packed]
      const headers = { 'content-encoding': encoding, 'content-length': body.length }
      const client = server.begin('gone', headers)
      client.end(body)
      await expect.poll(() => server.outcomes).toEqual(['gone invalid_body'])
    },
  )

  test('of 32 large ones at a time is refused beyond that, until one is handled', async () => {
    await using server = await aServer({ isHeld: true })
    const names = Array.from({ length: 32 }, (_, index) => `large${index}`)
    for (const name of names) server.begin(name).end(Buffer.alloc(SMALL + 1))
    await expect.poll(() => server.outcomes).toHaveLength(32)
    server.begin('small').end(Buffer.alloc(SMALL))
    server.begin('late').end(Buffer.alloc(SMALL + 1))
    await expect
      .poll(() => server.outcomes.slice(32).toSorted())
      .toEqual(['late server_busy', `small ${SMALL}`])
    server.respond()
    server.begin('later').end(Buffer.alloc(SMALL + 1))
    await expect.poll(() => server.outcomes).toContain(`later ${SMALL + 1}`)
  })

  test('of 4 large ones with keys of a world is refused beyond that, and not with others', async () => {
    await using server = await aServer({ isHeld: true })
    const send = (name: string, key: string) =>
      server.begin(name, { 'x-key': key }).end(Buffer.alloc(MEGABYTE))
    for (const name of ['a', 'b', 'c', 'd']) send(name, 'w1')
    await expect.poll(() => server.outcomes).toHaveLength(4)
    send('e', 'w1')
    send('f', 'w2')
    await expect
      .poll(() => server.outcomes.slice(4).toSorted())
      .toEqual(['e too_many_bodies', `f ${MEGABYTE}`])
  })

  test('that is given up no longer counts', async () => {
    await using server = await aServer({ isHeld: true })
    for (const name of ['a', 'b', 'c', 'd']) {
      const sent = server.begin(name, { 'x-key': 'w1', 'content-length': MEGABYTE })
      sent.write(Buffer.alloc(2 * SMALL))
      await expect.poll(() => server.bytesOf(name)).toBeGreaterThan(SMALL)
      sent.destroy()
    }
    await expect.poll(() => server.outcomes).toHaveLength(4)
    server.begin('e', { 'x-key': 'w1' }).end(Buffer.alloc(MEGABYTE))
    await expect.poll(() => server.outcomes).toContain(`e ${MEGABYTE}`)
  })

  test('that stalls is refused', async () => {
    await using server = await aServer({ checkIntervalMs: 20 })
    server.begin('silent', { 'content-length': 10 }).write('{')
    await expect.poll(() => server.outcomes).toEqual(['silent body_too_slow'])
  })

  test.each([
    { encoding: 'gzip', body: gzipSync('{}'), says: '2' },
    { encoding: 'Deflate', body: deflateSync('{}'), says: '2' },
    { encoding: 'br', body: brotliCompressSync('{}'), says: '2' },
    { encoding: 'zip', body: Buffer.from('{}'), says: 'unknown_encoding' },
    { encoding: 'constructor', body: Buffer.from('{}'), says: 'unknown_encoding' },
    { encoding: 'gzip', body: Buffer.from('{}'), says: 'invalid_body' },
    { encoding: 'gzip', body: gzipSync('{}').subarray(0, 10), says: 'invalid_body' },
    { encoding: 'gzip', body: gzipSync(Buffer.alloc(20 * MEGABYTE)), says: 'body_too_large' },
    {
      encoding: 'br',
      body: brotliCompressSync(Buffer.alloc(20 * MEGABYTE)),
      says: 'body_too_large',
    },
  ])('of $encoding is unpacked up to its limit: $says', async ({ encoding, body, says }) => {
    await using server = await aServer()
    server.begin('packed', { 'content-encoding': encoding }).end(body)
    await expect.poll(() => server.outcomes).toEqual([`packed ${says}`])
  })

  test('that ends too early is given up, packed or not', async () => {
    await using server = await aServer()
    for (const [name, encoding] of [
      ['plain', 'identity'],
      ['packed', 'gzip'],
    ] as const) {
      const headers = { 'content-length': 1000, 'content-encoding': encoding }
      const sent = server.begin(name, headers)
      sent.write(gzipSync('{}').subarray(0, 8))
      await expect.poll(() => server.bytesOf(name)).toBeGreaterThan(0)
      sent.destroy()
      await expect.poll(() => server.outcomes).toContain(`${name} invalid_body`)
    }
  })

  test('in pieces of one byte is collected', async () => {
    await using server = await aServer()
    const sent = server.begin('slow', { 'transfer-encoding': 'chunked' })
    sent.setNoDelay()
    for (let count = 0; count < 5000; count += 1) sent.write('x')
    sent.end()
    await expect.poll(() => server.outcomes, { timeout: 10_000 }).toEqual(['slow 5000'])
  })

  test('that never ends is refused while it is being sent, and the rest is discarded', async () => {
    await using server = await aServer()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nx-name: endless\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const piece = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(65_536),
      Buffer.from('\r\n'),
    ])
    let text = ''
    socket.on('data', (data: Buffer) => (text += data.toString()))
    for (let sent = 0; !text.includes('body_too_large') && sent < 2000; sent += 1) {
      if (!socket.write(piece)) await once(socket, 'drain')
    }
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/)
    socket.destroy()
  })
})
