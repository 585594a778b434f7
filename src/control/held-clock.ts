/**
 * The machine's clock as one request or one command sees it: the same time from its beginning to its
 * end, so that a session can be replayed from the times at which each of them began.
 */
export class HeldClock {
  readonly #realNow: () => number
  #heldMs: number | undefined

  /** `realNow` gives epoch milliseconds. */
  constructor(realNow: () => number) {
    this.#realNow = realNow
  }

  readonly now = (): number => this.#heldMs ?? this.#realNow()

  /** Runs a request at one time, also in the midst of a command, which keeps its own. */
  hold<Result>(run: (nowMs: number) => Result): Result {
    const outerMs = this.#heldMs
    const nowMs = this.#realNow()
    this.#heldMs = nowMs
    try {
      return run(nowMs)
    } finally {
      this.#heldMs = outerMs
    }
  }

  /** Runs a command at one time; there is never more than one of them. */
  async holdDuring<Result>(run: (nowMs: number) => Promise<Result>): Promise<Result> {
    const nowMs = this.#realNow()
    this.#heldMs = nowMs
    try {
      return await run(nowMs)
    } finally {
      this.#heldMs = undefined
    }
  }
}
