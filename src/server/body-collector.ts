import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { hasBody } from '../adapters/node-request.ts'
import { clearInterval, setInterval, setTimeout } from '../contract/timers.ts'
import { BodyError } from '../control-api/request-body.ts'
import type { BodyLimit } from '../control-api/request-body.ts'

/** Size above which a body is large, in bytes. */
const LARGE_BYTES = 2 ** 16

/** Maximum number of requests with a large or compressed body that a server handles at a time. */
const MAXIMUM_LARGE = 32
/** Same as `MAXIMUM_LARGE`, for requests with keys of the same world. */
const MAXIMUM_LARGE_PER_WORLD = 4

/** Minimum number of bytes that a client must send per `CHECK_INTERVAL_MS`. */
const MINIMUM_BYTES = 10_000
const CHECK_INTERVAL_MS = 10_000
/** Time in which a client must finish a refused body. */
const DISCARD_MS = 30_000

const UNPACKERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

export class BodyCollector {
  /** Responses in progress to requests with a large or compressed body. The value is the world of the request's key. */
  readonly #large = new Map<ServerResponse, string | undefined>()

  /**
   * Returns the body of a request; undefined if it has none. `keyWorld` is the world that the key of the request opens.
   * @throws BodyError
   */
  async collect(
    response: ServerResponse,
    limit: BodyLimit,
    keyWorld?: string,
    checkIntervalMs = CHECK_INTERVAL_MS,
  ) {
    const { req: request } = response
    if (!hasBody(request)) return undefined
    if (request.readableEnded) throw new BodyError('body_already_read')
    let [timer, seen] = [undefined as NodeJS.Timeout | undefined, request.socket.bytesRead]
    const slow = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        const isSlow = request.socket.bytesRead - seen < MINIMUM_BYTES && !request.complete
        if (isSlow) reject(new BodyError('body_too_slow'))
        seen = request.socket.bytesRead
      }, checkIntervalMs)
    })
    try {
      return await Promise.race([this.#read(response, limit, keyWorld), slow])
    } catch (error) {
      // Discards the rest of the body, because many clients read the response only after they have sent the whole body. Destroys
      // the connection if the body never ends.
      request.unpipe().resume()
      setTimeout(() => request.complete || request.destroy(), DISCARD_MS).unref()
      throw error instanceof BodyError ? error : new BodyError('invalid_body')
    } finally {
      clearInterval(timer)
    }
  }

  async #read(response: ServerResponse, limit: BodyLimit, keyWorld?: string): Promise<Uint8Array> {
    // One buffer that grows, because a list of chunks could take far more memory if each chunk is a single byte.
    let [bytes, size] = [Buffer.alloc(2 ** 12), 0]
    const stream = unpack(response.req)
    const isPacked = stream !== response.req
    for await (const part of stream.iterator({ destroyOnReturn: isPacked })) {
      const needed = size + (part as Buffer).length
      if (needed > limit.bytes) throw new BodyError('body_too_large', limit.message)
      if (isPacked || needed > LARGE_BYTES) this.#countLarge(response, keyWorld)
      if (needed > bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * needed, limit.bytes))
      size += (part as Buffer).copy(bytes, size)
    }
    return bytes.subarray(0, size)
  }

  #countLarge(response: ServerResponse, keyWorld?: string): void {
    if (this.#large.has(response)) return
    const ofKey = [...this.#large.values()].filter((other) => other === keyWorld)
    if (keyWorld !== undefined && ofKey.length >= MAXIMUM_LARGE_PER_WORLD)
      throw new BodyError('too_many_bodies')
    if (this.#large.size >= MAXIMUM_LARGE) throw new BodyError('server_busy')
    this.#large.set(response, keyWorld)
  }

  /** Stops counting a large body after its request is handled. Returns false if the body was not counted. */
  readonly release = (response: ServerResponse): boolean => this.#large.delete(response)
}

function unpack(request: IncomingMessage) {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return request
  if (!Object.hasOwn(UNPACKERS, encoding)) throw new BodyError('unknown_encoding')
  const unpacker = UNPACKERS[encoding as keyof typeof UNPACKERS]()
  // A pipe does not pass on that the client has disconnected. `finished` does, even if that was before the first read.
  finished(request, (error) => error && unpacker.destroy(error))
  return request.pipe(unpacker)
}
