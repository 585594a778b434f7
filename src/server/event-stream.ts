import type { ServerResponse } from 'node:http'
import { setImmediate, setInterval, clearInterval } from '../contract/timers.ts'
import { eventText } from '../control-api/event-source.ts'
import type { EventSource } from '../control-api/event-source.ts'

/** How often an idle stream sends a heartbeat, so that no proxy closes it. */
const HEARTBEAT_MS = 15_000

/** Maximum characters of new events that a client has not read. Beyond it, the client is disconnected, and can resume later. */
const MAXIMUM_UNREAD = 2 ** 20

/**
 * Sends server-sent events until the client disconnects or the server closes, as fast as the client reads them: first
 * the existing ones, however many, then new ones.
 */
export function sendEvents(response: ServerResponse, { next, follow }: EventSource): void {
  // No close event follows where the client has already disconnected.
  if (response.destroyed) return
  response.setHeader('Content-Type', 'text/event-stream')
  response.setHeader('Cache-Control', 'no-store')
  response.flushHeaders()
  /** The characters of new events since the client last read; undefined while existing ones are being sent. */
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
    if (unread !== undefined && unread > MAXIMUM_UNREAD) response.destroy()
  }
  const stop = follow((data) => {
    flow()
    if (isReady() || unread === undefined) return
    unread += JSON.stringify(data).length
    // Not at once: within one turn of the event loop the client has no chance to read.
    if (unread > MAXIMUM_UNREAD) setImmediate(dropUnread)
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
