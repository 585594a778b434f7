/** Events that are taken one by one, as fast as the client reads them. */
export interface EventFeed {
  /** Returns the next event; undefined if there is none yet. */
  next: () => ServerEvent | undefined
  /**
   * Calls `subscriber` with the data of each new event, including events that `next` filters out. Returns a function that
   * unsubscribes.
   */
  follow: (subscriber: (data: unknown) => void) => () => void
}

export interface ServerEvent {
  id: number
  event: string
  /** Any value; sent as JSON. */
  data: unknown
}

/** Formats an event for a response of type `text/event-stream`. */
export function eventText({ id, event, data }: ServerEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
