import { setInterval, clearInterval } from '../contract/timers.ts'

/** How often deadlines are checked: a promise may be rejected this much too late. */
const CHECK_MS = 50

interface Pending {
  endMs: number
  reject: (error: Error) => void
}

/** Limits how long promises may take, with one timer for all of them: there is one for every request. */
export class Deadlines {
  readonly #pending = new Set<Pending>()
  #timer: NodeJS.Timeout | undefined

  /** The same promise, but rejected where it is not settled by a time of `performance.now()`. */
  before<Result>(endMs: number, work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const pending = { endMs, reject }
      this.#pending.add(pending)
      this.#timer ??= setInterval(() => this.#check(), CHECK_MS)
      void work.then(resolve, reject).finally(() => this.#pending.delete(pending))
    })
  }

  #check(): void {
    const nowMs = performance.now()
    for (const pending of this.#pending) {
      if (pending.endMs > nowMs) continue
      this.#pending.delete(pending)
      pending.reject(new Error('No reply in time.'))
    }
    if (this.#pending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
