import type { ServerResponse } from 'node:http'
import type { ControlAnswer, ServerEvent } from '../control-api/routes/route.ts'

/** Captured at import, so that fake timers of a test cannot stop the heartbeat. */
const { setInterval, clearInterval } = globalThis

/** How often an idle stream sends a heartbeat, so that no proxy closes it. */
const HEARTBEAT_MS = 15_000

/** How many bytes a slow client may be behind before it is disconnected; it can reconnect and resume. */
const MAXIMUM_BEHIND_BYTES = 8 * 2 ** 20

/**
 * Sends server-sent events until the client disconnects or the server closes: first the existing entries,
 * however many, as fast as the client reads them.
 */
export function sendEvents(
  response: ServerResponse,
  stream: NonNullable<ControlAnswer['stream']>,
): void {
  // No close event follows where the client has already disconnected.
  if (response.destroyed) return
  response.setHeader('Content-Type', 'text/event-stream')
  response.setHeader('Cache-Control', 'no-store')
  response.flushHeaders()
  const backlog: ServerEvent[] = []
  const live: string[] = []
  let behindBytes = 0
  const takeNext = (): string | undefined => {
    const event = backlog.shift()
    if (event) return toText(event)
    const text = live.shift()
    if (text !== undefined) behindBytes -= Buffer.byteLength(text)
    return text
  }
  const isReady = (): boolean => !response.destroyed && !response.writableNeedDrain
  const flow = (): void => {
    while (isReady()) {
      const text = takeNext()
      if (text === undefined) return
      response.write(text)
    }
  }
  const sendLive = (event: ServerEvent): void => {
    const text = toText(event)
    live.push(text)
    behindBytes += Buffer.byteLength(text)
    flow()
    if (behindBytes > MAXIMUM_BEHIND_BYTES) response.destroy()
  }
  let take = (event: ServerEvent): void => {
    backlog.push(event)
  }
  const stop = stream((event) => take(event))
  take = sendLive
  response.on('drain', flow)
  flow()
  const heartbeat = setInterval(() => {
    if (isReady()) response.write(':\n\n')
  }, HEARTBEAT_MS).unref()
  response.once('close', () => {
    clearInterval(heartbeat)
    stop()
  })
}

function toText({ id, event, data }: ServerEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
