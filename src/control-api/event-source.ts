/** Events that are taken one by one, as fast as a client reads them. */
export interface EventSource {
  /** The next event; undefined where there is none yet. */
  next: () => ServerEvent | undefined
  /** Notifies of the data of every new event, also of those that are left out; returns the function that unsubscribes. */
  follow: (subscriber: (data: unknown) => void) => () => void
}

/** One server-sent event. */
export interface ServerEvent {
  id: number
  event: string
  /** To be sent as JSON. */
  data: unknown
}

/** An event as it is sent. */
export function eventText({ id, event, data }: ServerEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
