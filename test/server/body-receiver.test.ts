import { once } from 'node:events'
import { createServer, request as sendHttp } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BodyReceiver } from '../../src/server/bodies/body-receiver.ts'
import { BodyError } from '../../src/control-api/parse-body.ts'

/** How bodies are received: as many at a time as there is memory for, unpacked, and not from who sends nothing. */

const MEGABYTE = 2 ** 20
/** The largest body that never waits. */
const SMALL = 2 ** 16
const LIMITS = { allBytes: 3 * MEGABYTE, worldBytes: 2 * MEGABYTE, lookMs: 100_000 }

interface Receiving extends AsyncDisposable {
  /** Begins a request with a body that has so many bytes. */
  begin: (name: string, headers?: Record<string, string | number>) => ClientRequest
  /** What became of requests, in the order in which they were received: their name, and the length or the error. */
  received: string[]
  /** How many bytes have come on the connection of a request. */
  bytesOf: (name: string) => number
  /** Whether nothing more of a request is received. */
  isGivenUp: (name: string) => boolean
}

/** A server that receives bodies of at most 5 MB, with the header `x-world` for the world of the sender. */
async function aServer(limits = LIMITS): Promise<Receiving> {
  const receiver = new BodyReceiver(limits)
  const received: string[] = []
  const requests = new Map<string, IncomingMessage>()
  const server = createServer((request, response) => {
    const name = String(request.headers['x-name'])
    requests.set(name, request)
    const world = request.headers['x-world'] as string | undefined
    void receiver
      .receive(request, response, { limit: { bytes: 5 * MEGABYTE }, world, spend: () => undefined })
      .then(
        (body = []) => String(body.reduce((sum, { length }) => sum + length, 0)),
        (error: unknown) => (error instanceof BodyError ? error.code : String(error)),
      )
      .then((outcome) => {
        received.push(`${name} ${outcome}`)
        return response.end()
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    received,
    bytesOf: (name) => requests.get(name)?.socket.bytesRead ?? 0,
    isGivenUp: (name) => requests.get(name)?.destroyed === true,
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
  test('waits where older ones take all the memory, and a small one does not', async () => {
    await using server = await aServer()
    const first = server.begin('first', { 'content-length': 5 * MEGABYTE })
    first.write(Buffer.alloc(4 * MEGABYTE))
    await expect.poll(() => server.bytesOf('first')).toBeGreaterThan(4 * MEGABYTE)
    server.begin('second').end(Buffer.alloc(2 * MEGABYTE))
    await expect.poll(() => server.bytesOf('second')).toBeGreaterThan(SMALL)
    server.begin('small').end(Buffer.alloc(SMALL))
    await expect.poll(() => server.received).toEqual([`small ${SMALL}`])
    first.end(Buffer.alloc(MEGABYTE))
    await expect
      .poll(() => server.received.slice(1))
      .toEqual([`first ${5 * MEGABYTE}`, `second ${2 * MEGABYTE}`])
  })

  test('waits for others of its world alone where these take what a world may', async () => {
    await using server = await aServer({ ...LIMITS, allBytes: 64 * MEGABYTE })
    const first = server.begin('first', { 'content-length': 4 * MEGABYTE, 'x-world': 'w1' })
    first.write(Buffer.alloc(3 * MEGABYTE))
    await expect.poll(() => server.bytesOf('first')).toBeGreaterThan(3 * MEGABYTE)
    server.begin('second', { 'x-world': 'w1' }).end(Buffer.alloc(2 * MEGABYTE))
    await expect.poll(() => server.bytesOf('second')).toBeGreaterThan(SMALL)
    server.begin('other', { 'x-world': 'w2' }).end(Buffer.alloc(4 * MEGABYTE))
    await expect.poll(() => server.received).toEqual([`other ${4 * MEGABYTE}`])
    first.end(Buffer.alloc(MEGABYTE))
    await expect
      .poll(() => server.received.slice(1))
      .toEqual([`first ${4 * MEGABYTE}`, `second ${2 * MEGABYTE}`])
  })

  test('of which nothing comes for a while is refused', async () => {
    await using server = await aServer({ ...LIMITS, lookMs: 20 })
    server.begin('silent', { 'content-length': 10 }).write('{')
    await expect.poll(() => server.received).toEqual(['silent body_too_slow'])
    await expect.poll(() => server.isGivenUp('silent')).toBe(true)
  })

  test.each([
    { encoding: 'gzip', body: gzipSync('{}'), says: '2' },
    { encoding: 'deflate', body: deflateSync('{}'), says: '2' },
    { encoding: 'br', body: brotliCompressSync('{}'), says: '2' },
    { encoding: 'zip', body: Buffer.from('{}'), says: 'invalid_request' },
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
    await expect.poll(() => server.received).toEqual([`packed ${says}`])
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
      await expect.poll(() => server.received).toContain(`${name} invalid_body`)
    }
  })
})
