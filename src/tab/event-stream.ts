import { eventText } from '../control-api/event-source.ts'
import type { EventSource } from '../control-api/event-source.ts'

/** Server-sent events as the body of a response, as fast as it is read, until it is cancelled or the signal aborts. */
export function toEventStream(
  { next, follow }: EventSource,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let wake: (() => void) | undefined
  let stop: (() => void) | undefined
  let isOver = false
  const end = (): void => {
    isOver = true
    signal.removeEventListener('abort', end)
    stop?.()
    wake?.()
  }
  return new ReadableStream({
    start: () => {
      stop = follow(() => wake?.())
      if (signal.aborted) end()
      else signal.addEventListener('abort', end)
    },
    pull: async (controller) => {
      for (;;) {
        const event = isOver ? undefined : next()
        if (event) {
          controller.enqueue(encoder.encode(eventText(event)))
          return
        }
        if (isOver) {
          controller.close()
          return
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    cancel: end,
  })
}
