const MAXIMUM_BODIES = 200
const MAXIMUM_BYTES = 8 * 2 ** 20

/** The bodies of the latest responses, by the sequence of their requests: kept while somebody looks at them. */
export class ResponseBodies {
  readonly #bodies = new Map<number, Uint8Array>()
  #bytes = 0
  #watchers = 0

  /** Whether bodies are kept now. */
  get isKeeping(): boolean {
    return this.#watchers > 0
  }

  /** Keeps bodies from now on; returns the function that stops that. When the last watcher stops, they are freed. */
  watch(): () => void {
    let isWatching = true
    this.#watchers += 1
    return () => {
      if (!isWatching) return
      isWatching = false
      this.#watchers -= 1
      if (this.#watchers === 0) this.clear()
    }
  }

  add(sequence: number, body: Uint8Array): void {
    if (body.byteLength > MAXIMUM_BYTES) return
    this.#bodies.set(sequence, body)
    this.#bytes += body.byteLength
    for (const [oldest, { byteLength }] of this.#bodies) {
      if (this.#bodies.size <= MAXIMUM_BODIES && this.#bytes <= MAXIMUM_BYTES) return
      this.#bodies.delete(oldest)
      this.#bytes -= byteLength
    }
  }

  get(sequence: number): Uint8Array | undefined {
    return this.#bodies.get(sequence)
  }

  clear(): void {
    this.#bodies.clear()
    this.#bytes = 0
  }
}
