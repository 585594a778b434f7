import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { middleware } from '../../src/server/middleware.ts'
import type { WireFault } from '../../src/contract/wire-fault.ts'
import { toResponse } from '../../src/sandbox/fetch.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

/** Every possible wire fault, acted out by both adapters, even if no kind of fault uses it today. */

const BODY = new TextEncoder().encode(JSON.stringify({ data: 'x'.repeat(100) }))

function responseWith(wire: WireFault) {
  return { status: 200, headers: {}, body: BODY, caller: undefined, wire }
}

/** Reads until nothing more is sent; returns the number of bytes by then, and true if the body has ended. */
async function readStalled(body: AsyncIterable<Uint8Array>, expectedBytes: number) {
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.byteLength
    if (bytes >= expectedBytes) return { bytes, hasEnded: false }
  }
  return { bytes, hasEnded: true }
}

test('a part of the body and then silence: the connection stays open, over HTTP', async () => {
  const sandbox = { answer: () => responseWith({ bodyShare: 0.25, end: 'silence' }) }
  const server = createServer(middleware(sandbox as unknown as Sandbox)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = get({ port, host: '127.0.0.1', path: '/api/v1/me' })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const bytes = Math.floor(BODY.byteLength / 4)
  expect(await readStalled(response, bytes)).toEqual({ bytes, hasEnded: false })
  request.destroy()
  server.close()
})

test('the same in process, until the request is aborted', async () => {
  const gone = new AbortController()
  const wire: WireFault = { bodyShare: 0.25, end: 'silence' }
  const response = await toResponse(responseWith(wire), { method: 'GET', signal: gone.signal })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  expect(first?.value?.byteLength).toBe(Math.floor(BODY.byteLength / 4))
  const next = reader?.read()
  gone.abort()
  await expect(next).rejects.toBe(gone.signal.reason)
})

test('a part of the body, and the connection is closed', async () => {
  const wire: WireFault = { bodyShare: 0.75, end: 'truncated' }
  const response = await toResponse(responseWith(wire), { method: 'GET', signal: undefined })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  expect(first?.value?.byteLength).toBe(Math.floor(BODY.byteLength * 0.75))
  await expect(reader?.read()).rejects.toThrow('terminated')
})
