import { setTimeout } from '../contract/timers.ts'

/** The server only waits for a proxy that has asked within this time. */
const ASKING_MS = 5000

/** How many times a proxy is told, and the longest that the server waits for it. */
const TOLD_TIMES = 2
const LONGEST_MS = 3000

/** How long a proxy may take to react. */
const REACTION_MS = 100

/** Whether a proxy may send requests to a server. Before it stops, it says no, so that the proxy knows in time. */
export class Readiness {
  #askedMs = -Infinity
  #isWithdrawn = false
  #told = 0
  #onTold: () => void = () => undefined

  /** The answer to a proxy that asks; `check` says whether the server could serve. */
  async ask(check: () => Promise<boolean>): Promise<boolean> {
    this.#askedMs = performance.now()
    if (!this.#isWithdrawn) return check()
    this.#told += 1
    if (this.#told === TOLD_TIMES) this.#onTold()
    return false
  }

  /** Resolves once the proxy that asks has been told that the server stops; at once where none asks. */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true
    if (performance.now() - this.#askedMs > ASKING_MS) return
    await new Promise<void>((resolve) => {
      this.#onTold = () => void setTimeout(resolve, REACTION_MS)
      setTimeout(resolve, LONGEST_MS).unref()
    })
  }
}
