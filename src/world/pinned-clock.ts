/**
 * The machine's clock, which is pinned while a request or a command is handled, so that each sees a single
 * time and a session can be replayed from their start times.
 */
export class PinnedClock {
  readonly #realNow: () => number
  #pinnedMs: number | undefined

  /** `realNow` returns epoch milliseconds. */
  constructor(realNow: () => number) {
    this.#realNow = realNow
  }

  readonly now = (): number => this.#pinnedMs ?? this.#realNow()

  /** Handles a request at a pinned time. During a command, the command's own time is pinned again afterwards. */
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

  /** Runs a command at a pinned time; commands never run concurrently. */
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
