/** Events that are taken one by one, as fast as the client reads them. */
export interface EventSource {
  /** Returns the next event and moves on; undefined if there is none yet. */
  next: () => ServerEvent | undefined
  /**
   * Calls a subscriber with the data of every new event, even of those that `next` omits; returns a function that
   * unsubscribes it.
   */
  follow: (subscriber: (data: unknown) => void) => () => void
}

export interface ServerEvent {
  id: number
  event: string
  /** Any value; sent as JSON. */
  data: unknown
}

/** Returns the text that represents an event in a response. */
export function eventText({ id, event, data }: ServerEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
