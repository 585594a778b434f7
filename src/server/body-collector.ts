import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { hasBody } from '../adapters/node-request.ts'
import { clearInterval, setInterval, setTimeout } from '../contract/timers.ts'
import { BodyError } from '../control-api/request-body.ts'
import type { BodyLimit } from '../control-api/request-body.ts'

/**
 * Size from which a body is large, in bytes, and maximum number of large or compressed bodies at a time: on a server,
 * and with keys of one world.
 */
const [LARGE_BYTES, MOST_LARGE, MOST_OF_KEY] = [2 ** 16, 32, 4]

/**
 * Minimum progress of a sender: `LEAST_BYTES` in each `LOOK_MS`; and its time to end a refused body. Times are in
 * milliseconds.
 */
const [LOOK_MS, LEAST_BYTES, REFUSED_MS] = [10_000, 10_000, 30_000]
const UNPACKERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** Collects and decompresses the bodies of requests. */
export class BodyCollector {
  /** Responses to requests with a large or compressed body that are being handled, each with the world of its key. */
  readonly #large = new Map<ServerResponse, string | undefined>()

  /**
   * Returns the body of a request; undefined if it has none. `key` is the world that the key of the request opens.
   * @throws BodyError
   */
  async collect(response: ServerResponse, limit: BodyLimit, key?: string, lookMs = LOOK_MS) {
    const { req: request } = response
    if (!hasBody(request)) return undefined
    if (request.readableEnded) throw new BodyError('body_already_read')
    let [timer, seen] = [undefined as NodeJS.Timeout | undefined, request.socket.bytesRead]
    const slow = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        const isSlow = request.socket.bytesRead - seen < LEAST_BYTES && !request.complete
        if (isSlow) reject(new BodyError('body_too_slow'))
        seen = request.socket.bytesRead
      }, lookMs)
    })
    try {
      return await Promise.race([this.#read(response, limit, key), slow])
    } catch (error) {
      // Discards the rest of the body, because many clients read the response only after they have sent all of it.
      // Destroys the connections of those that never do.
      request.unpipe().resume()
      setTimeout(() => request.complete || request.destroy(), REFUSED_MS).unref()
      throw error instanceof BodyError ? error : new BodyError('invalid_body')
    } finally {
      clearInterval(timer)
    }
  }

  async #read(response: ServerResponse, limit: BodyLimit, key?: string): Promise<Uint8Array> {
    // One buffer that grows, because a list of parts could take far more memory if each part is a byte.
    let [bytes, size] = [Buffer.alloc(2 ** 12), 0]
    const stream = unpack(response.req)
    const isPacked = stream !== response.req
    for await (const part of stream.iterator({ destroyOnReturn: isPacked })) {
      const needed = size + (part as Buffer).length
      if (needed > limit.bytes) throw new BodyError('body_too_large', limit.message)
      if (isPacked || needed > LARGE_BYTES) this.#countLarge(response, key)
      if (needed > bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * needed, limit.bytes))
      size += (part as Buffer).copy(bytes, size)
    }
    return bytes.subarray(0, size)
  }

  #countLarge(response: ServerResponse, key?: string): void {
    if (this.#large.has(response)) return
    const ofKey = [...this.#large.values()].filter((other) => other === key)
    if (key !== undefined && ofKey.length >= MOST_OF_KEY) throw new BodyError('too_many_bodies')
    if (this.#large.size >= MOST_LARGE) throw new BodyError('server_busy')
    this.#large.set(response, key)
  }

  /** Stops counting a large body, once its request is handled; returns false if it was not counted. */
  readonly release = (response: ServerResponse): boolean => this.#large.delete(response)
}

function unpack(request: IncomingMessage) {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return request
  if (!Object.hasOwn(UNPACKERS, encoding)) throw new BodyError('unknown_encoding')
  const unpacker = UNPACKERS[encoding as keyof typeof UNPACKERS]()
  // A pipe does not report that the client has gone, not even if that was before the first read.
  finished(request, (error) => error && unpacker.destroy(error))
  return request.pipe(unpacker)
}
