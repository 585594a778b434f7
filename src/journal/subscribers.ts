/** Captured at import, so that fake timers of a test cannot hide an error. */
const { queueMicrotask } = globalThis

/**
 * Notifies each subscriber of an event. The error of one is rethrown in a microtask of its own, so that it affects
 * neither the other subscribers nor the code that notifies them.
 */
export function notify<Event>(subscribers: Iterable<(event: Event) => void>, event: Event): void {
  for (const subscriber of subscribers) {
    try {
      subscriber(event)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
