/** Events that are taken one by one, as fast as a client reads them. */
export interface EventSource {
  /** Takes the next event; undefined if there is none yet. */
  next: () => ServerEvent | undefined
  /**
   * Notifies a subscriber of the data of every new event, including omitted events; returns a function that unsubscribes
   * it.
   */
  follow: (subscriber: (data: unknown) => void) => () => void
}

/** One server-sent event. */
export interface ServerEvent {
  id: number
  event: string
  /** To be sent as JSON. */
  data: unknown
}

/** Returns the text of an event on the wire. */
export function eventText({ id, event, data }: ServerEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
