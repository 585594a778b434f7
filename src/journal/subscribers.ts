/** Captured at import, so that fake timers of a test cannot hide an error. */
const { queueMicrotask } = globalThis

/**
 * Notifies each subscriber. An error of one is rethrown in a microtask of its own: it affects neither the
 * other subscribers nor the code that notifies them.
 */
export function notify<Subscriber>(
  subscribers: Iterable<Subscriber>,
  call: (subscriber: Subscriber) => void,
): void {
  for (const subscriber of subscribers) {
    try {
      call(subscriber)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
