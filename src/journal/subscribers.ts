/** Taken at import, so that fake timers of a test cannot hide an error. */
const { queueMicrotask } = globalThis

/**
 * Notifies each subscriber. What one of them throws is thrown again later, on its own: it concerns neither the
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
