import type { ServerResponse } from 'node:http'
import type { ControlAnswer, ServerEvent } from '../control/routes/route.ts'

/** Taken at import, so that fake timers of a test cannot stop the sign of life. */
const { setInterval, clearInterval } = globalThis

/** How often an idle stream gives a sign of life, so that no proxy takes it for dead. */
const HEARTBEAT_MS = 15_000

/** How much a client may be behind; it can come again and go on where it was. */
const MAXIMUM_BEHIND_BYTES = 8 * 2 ** 20

/** Sends server-sent events until the client or the server goes. */
export function sendEvents(
  response: ServerResponse,
  stream: NonNullable<ControlAnswer['stream']>,
): void {
  response.setHeader('Content-Type', 'text/event-stream')
  response.setHeader('Cache-Control', 'no-store')
  response.flushHeaders()
  const write = (text: string): void => {
    response.write(text)
    if (response.writableLength > MAXIMUM_BEHIND_BYTES) response.destroy()
  }
  const stop = stream((event) => write(toText(event)))
  const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_MS)
  response.once('close', () => {
    clearInterval(heartbeat)
    stop()
  })
}

function toText({ id, event, data }: ServerEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
