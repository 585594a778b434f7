/** Captured at import, so that a test's fake timers cannot hide an error. */
const { queueMicrotask } = globalThis

/** Receives errors of subscribers. Without `report`, errors are rethrown in a microtask. */
export interface SubscriberErrors {
  report?: (error: unknown) => void
}

/** Notifies each subscriber of an event. An error of one subscriber affects neither the others nor the caller. */
export function notify<Event>(
  subscribers: Iterable<(event: Event) => void>,
  event: Event,
  errors?: SubscriberErrors,
): void {
  for (const subscriber of subscribers) {
    try {
      subscriber(event)
    } catch (error) {
      reportError(error, errors)
    }
  }
}

export function reportError(error: unknown, { report }: SubscriberErrors = {}): void {
  if (report) report(error)
  else
    queueMicrotask(() => {
      throw error
    })
}
