/** Captured at import, so that fake timers of a test do not stop it. */
const now = performance.now.bind(performance)

/** Counts the requests of each world in a second. It limits those that are not appended to a log, which has its own limit. */
export class RequestRates {
  readonly #limit: number
  readonly #taken = new Map<string, number>()
  #second = 0

  /** `limit` is how many requests a world may have in a second. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a request, and returns whether it is within the limit. */
  take(world: string): boolean {
    const second = Math.floor(now() / 1000)
    if (second !== this.#second) this.#taken.clear()
    this.#second = second
    const taken = (this.#taken.get(world) ?? 0) + 1
    this.#taken.set(world, taken)
    return taken <= this.#limit
  }
}
