/**
 * The machine's clock, which can be pinned while a request or a command is handled: so that each sees one time,
 * and a session can be replayed from the times at which they began.
 */
export class PinnedClock {
  readonly #realNow: () => number
  #pinnedMs: number | undefined

  /** `realNow` gives epoch milliseconds. */
  constructor(realNow: () => number) {
    this.#realNow = realNow
  }

  readonly now = (): number => this.#pinnedMs ?? this.#realNow()

  /** Runs a request at one time. During a command, the command's own time is pinned again afterwards. */
  pin<Result>(run: (nowMs: number) => Result): Result {
    const outerMs = this.#pinnedMs
    const nowMs = this.#realNow()
    this.#pinnedMs = nowMs
    try {
      return run(nowMs)
    } finally {
      this.#pinnedMs = outerMs
    }
  }

  /** Runs a command at one time; there is never more than one of them. */
  async pinDuring<Result>(run: (nowMs: number) => Promise<Result>): Promise<Result> {
    const nowMs = this.#realNow()
    this.#pinnedMs = nowMs
    try {
      return await run(nowMs)
    } finally {
      this.#pinnedMs = undefined
    }
  }
}
