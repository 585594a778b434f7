/**
 * Numbers for the connections that requests would have: consecutive ones share a connection, and simultaneous ones have one each.
 * Without them, and on a clock that stands still, a review could not tell these from each other.
 */
export class ConnectionPool {
  readonly #busy = new Set<number>()
  #opened = 0

  /** Sends a request on a connection that is free; `open` says how many there are. */
  async use<Result>(send: (connection: number, open: number) => Promise<Result>): Promise<Result> {
    let connection = 1
    while (this.#busy.has(connection)) connection += 1
    this.#busy.add(connection)
    this.#opened = Math.max(this.#opened, connection)
    try {
      return await send(connection, this.#opened)
    } finally {
      this.#busy.delete(connection)
    }
  }
}
