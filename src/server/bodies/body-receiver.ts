import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { MEGABYTE } from '../../contract/megabyte.ts'
import { clearInterval, setInterval } from '../../contract/timers.ts'
import { bodyTooLarge } from '../../control-api/body-limit.ts'
import type { BodyLimit } from '../../control-api/body-limit.ts'
import { BodyError } from '../../control-api/parse-body.ts'
import { Share } from './share.ts'

/** Bodies up to this size are not counted, and never wait: a thousand of them take no more than all others may. */
const SMALL_BYTES = 2 ** 16

const USUAL: ReceiverOptions = {
  allBytes: 64 * MEGABYTE,
  worldBytes: 16 * MEGABYTE,
  lookMs: 10_000,
}

/** The size in bytes of the first part of a body, which for most bodies is the only one, and of further parts. */
const FIRST_BYTES = 2 ** 12
const PART_BYTES = 2 ** 16

/** Roughly how many bytes are unpacked in a millisecond, including the time that this thread takes to collect them. */
const UNPACKED_BYTES_IN_MS = 100_000

/** How much a sender must have sent between two checks. */
const LEAST_BYTES = 10_000

/** Larger pieces than by default: each takes a turn of another thread, and one of this. */
const IN_PARTS = { chunkSize: PART_BYTES }

const UNPACKERS = new Map<string, () => Duplex>([
  ['gzip', () => createGunzip(IN_PARTS)],
  ['deflate', () => createInflate(IN_PARTS)],
  ['br', () => createBrotliDecompress(IN_PARTS)],
])

interface ReceiverOptions {
  /** What all bodies that are received and read at a time may take together, roughly. */
  allBytes: number
  /** The same for bodies that come with the key of one world. */
  worldBytes: number
  /** How often to check how much each sender has sent. */
  lookMs: number
}

interface Sender {
  limit: BodyLimit
  /** The world whose key was sent; undefined for the admin key, and where none is needed. */
  world: string | undefined
  /** Called with the milliseconds that unpacking has taken other threads, by estimate: they do not report it. */
  spend: (ms: number) => void
}

/** Receives the bodies of requests. Where they would take too much memory at a time, some wait; none is refused because of that. */
export class BodyReceiver {
  readonly #options: ReceiverOptions
  readonly #all: Share
  readonly #ofWorlds = new Map<string, Share>()

  constructor(options: ReceiverOptions = USUAL) {
    this.#options = options
    this.#all = new Share(options.allBytes)
  }

  /**
   * The body of a request, unpacked, in parts that nothing else refers to; undefined where there is none. It is counted until
   * the response ends.
   *
   * @throws BodyError for one that is too large, comes too slowly, or cannot be unpacked.
   */
  async receive(
    request: IncomingMessage,
    response: ServerResponse,
    { limit, world, spend }: Sender,
  ): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers
    if (length === undefined && coding === undefined) return undefined
    const shares = [...(world === undefined ? [] : [this.#shareOf(world)]), this.#all]
    response.once('close', () => {
      for (const share of shares) share.release(request)
      if (world !== undefined && shares[0]?.isUnused) this.#ofWorlds.delete(world)
    })
    let hasWaited = false
    const take = async (bytes: number): Promise<void> => {
      for (const share of shares) {
        if (response.closed || !share.take(request, bytes)) continue
        hasWaited = true
        await share.turnOf(request)
      }
    }
    return new Promise((resolve, reject) => {
      const { socket } = request
      let seen = socket.bytesRead
      const timer = setInterval(() => {
        const isSlow = socket.bytesRead - seen < LEAST_BYTES && !request.complete
        if (isSlow && !hasWaited) {
          // Node does not end a request that has its response before it is complete.
          response.once('close', () => request.destroy())
          reject(tooSlow())
        }
        seen = socket.bytesRead
        hasWaited = false
      }, this.#options.lookMs)
      collect(request, { limit, spend }, take)
        .then(resolve, reject)
        .finally(() => clearInterval(timer))
    })
  }

  #shareOf(world: string): Share {
    const share = this.#ofWorlds.get(world) ?? new Share(this.#options.worldBytes)
    this.#ofWorlds.set(world, share)
    return share
  }
}

/** The bytes of a body, however small the pieces are in which they come. */
class Parts {
  readonly #full: Uint8Array<ArrayBuffer>[] = []
  #last = new Uint8Array(FIRST_BYTES)
  #length = 0

  add(piece: Uint8Array): void {
    for (let from = 0; from < piece.length;) {
      if (this.#length === this.#last.length) {
        this.#full.push(this.#last)
        this.#last = new Uint8Array(PART_BYTES)
        this.#length = 0
      }
      const copied = piece.subarray(from, from + this.#last.length - this.#length)
      this.#last.set(copied, this.#length)
      this.#length += copied.length
      from += copied.length
    }
  }

  all(): Uint8Array<ArrayBuffer>[] {
    return [...this.#full, this.#last.subarray(0, this.#length)]
  }
}

/** Collects a body; `take` is told how much there is of a large one, and resolves when more may come. @throws BodyError */
async function collect(
  request: IncomingMessage,
  { limit, spend }: Pick<Sender, 'limit' | 'spend'>,
  take: (bytes: number) => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts = new Parts()
  let bytes = 0
  try {
    const stream = unpack(request)
    for await (const part of stream.iterator({ destroyOnReturn: stream !== request })) {
      bytes += (part as Buffer).length
      if (bytes > limit.bytes) throw bodyTooLarge(limit)
      parts.add(part as Buffer)
      if (bytes > SMALL_BYTES) await take(bytes)
    }
    return parts.all()
  } catch (error) {
    request.unpipe()
    // Many clients do not read the response before they have sent the whole body.
    await drain(request)
    if (error instanceof BodyError) throw error
    const { message } = error as Error
    throw new BodyError('invalid_body', `The body cannot be unpacked: ${message}.`)
  } finally {
    if (encodingOf(request.headers) !== 'identity') spend(bytes / UNPACKED_BYTES_IN_MS)
  }
}

function encodingOf({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): string {
  return encoding.toLowerCase()
}

/** @throws BodyError for an encoding that is not known. */
function unpack(request: IncomingMessage): Readable {
  const encoding = encodingOf(request.headers)
  if (encoding === 'identity') return request
  const unpacker = UNPACKERS.get(encoding)?.()
  if (!unpacker) {
    const message = `The encoding ${JSON.stringify(encoding)} of the body is not known. Send it as it is, or as gzip, deflate or br.`
    throw new BodyError('invalid_request', message)
  }
  request.once('error', (error) => unpacker.destroy(error))
  return request.pipe(unpacker)
}

function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) resolve()
    else request.once('end', resolve).once('close', resolve).resume()
  })
}

function tooSlow(): BodyError {
  const message = 'The body comes too slowly. Send at least 1 kB a second.'
  return new BodyError('body_too_slow', message)
}
