import type { ServerResponse } from 'node:http'
import { setImmediate, setInterval, clearInterval } from '../contract/timers.ts'
import { errorResponse } from '../control-api/control-error.ts'
import { eventText } from '../control-api/event-feed.ts'
import type { EventFeed } from '../control-api/event-feed.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { Backend } from './backend.ts'

/** Interval of heartbeats, which keep proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000

/**
 * Maximum length of the new events that a client has not read, in characters. A client with more is disconnected, and can resume
 * later.
 */
const MAXIMUM_UNREAD_LENGTH = 2 ** 20

/**
 * Sends server-sent events as fast as the client reads them, until the response is closed: first all existing events, then new
 * ones.
 */
export function sendEvents(response: ServerResponse, { next, follow }: EventFeed): void {
  // No close event follows if the client has already disconnected.
  if (response.destroyed) return
  response.setHeader('Content-Type', 'text/event-stream')
  response.setHeader('Cache-Control', 'no-store')
  response.flushHeaders()
  /** Length of the new events that the client has not read, in characters; undefined while existing events are being sent. */
  let unread: number | undefined
  const isReady = (): boolean =>
    !response.destroyed && !response.writableEnded && !response.writableNeedDrain
  const flow = (): void => {
    while (isReady()) {
      const event = next()
      if (event) {
        response.write(eventText(event))
      } else {
        unread = 0
        return
      }
    }
  }
  const dropUnread = (): void => {
    if (unread !== undefined && unread > MAXIMUM_UNREAD_LENGTH) response.destroy()
  }
  const stop = follow((data) => {
    flow()
    if (isReady() || unread === undefined) return
    unread += JSON.stringify(data).length
    // Checked later, because the client has no chance to read within one turn of the event loop.
    if (unread > MAXIMUM_UNREAD_LENGTH) setImmediate(dropUnread)
  })
  response.on('drain', () => {
    unread &&= 0
    flow()
  })
  flow()
  const heartbeat = setInterval(() => {
    if (isReady()) response.write(':\n\n')
  }, HEARTBEAT_MS).unref()
  response.once('close', () => {
    clearInterval(heartbeat)
    stop()
  })
}

const MAXIMUM_STREAMS = 100
/** Number of streams, out of `MAXIMUM_STREAMS`, that keys of worlds cannot open. */
const RESERVED_STREAMS = 10

/** Holder of all streams that the admin key opens. They do not count as streams of the worlds that they show. */
const OPERATOR = ''

const TOO_MANY_STREAMS = errorResponse(
  429,
  'too_many_streams',
  'This server has its maximum number of event streams open. Close one, and open this one again.',
)

const TOO_MANY_STREAMS_OF_WORLD = errorResponse(
  429,
  'too_many_streams',
  'This world has as many event streams open as its host allows. Close one, and open this one again.',
)

interface StreamOf {
  world: string
  key: string | undefined
}

export class ControlStreams {
  readonly #backend: Backend
  readonly #hasAdminKey: boolean
  /** The holder of each open stream: the id of a world, or `OPERATOR`. */
  readonly #holders = new Map<ServerResponse, string>()

  constructor(backend: Backend, { hasAdminKey }: { hasAdminKey: boolean }) {
    this.#backend = backend
    this.#hasAdminKey = hasAdminKey
  }

  /**
   * Counts a stream until its response is closed. Returns a refusal if the server or the world already has its maximum number of
   * streams.
   */
  admit(response: ServerResponse, { world, key }: StreamOf): ControlResponse | undefined {
    // No close event follows if the client disconnected while its world was loading.
    if (response.destroyed) return undefined
    const reserved = key === undefined ? 0 : RESERVED_STREAMS
    if (this.#holders.size >= MAXIMUM_STREAMS - reserved) return TOO_MANY_STREAMS
    const holder = key === undefined && this.#hasAdminKey ? OPERATOR : world
    const count = [...this.#holders.values()].filter((other) => other === holder).length
    if (count >= this.#maximumOf(holder)) return TOO_MANY_STREAMS_OF_WORLD
    this.#holders.set(response, holder)
    // After the response has ended, the client reconnects, and continues with Last-Event-ID.
    const unfollow = this.#backend.worlds.follow?.(world, { onEnd: () => response.end(), key })
    response.once('close', () => {
      this.#holders.delete(response)
      unfollow?.()
    })
    return undefined
  }

  #maximumOf(holder: string): number {
    if ([OPERATOR, DEFAULT_WORLD].includes(holder)) return Infinity
    return this.#backend.store?.limits.streams ?? Infinity
  }
}
