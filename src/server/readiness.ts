/** How lately a proxy must have asked to be waited for. */
const ASKING_MS = 5000

/** How often a proxy has to hear it, and how long it is waited for at most. */
const TOLD_TIMES = 2
const LONGEST_MS = 3000

/** What a proxy takes to act on what it has been told. */
const REACTION_MS = 100

/** Captured at import, so that fake timers of a test have no effect. */
const { setTimeout } = globalThis

/** Whether a proxy may send requests to a server: until that stops, which the proxy should know before it does. */
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

  /** Resolves when whoever asks has been told that the server stops; at once where nobody does. */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true
    if (performance.now() - this.#askedMs > ASKING_MS) return
    await new Promise<void>((resolve) => {
      this.#onTold = () => void setTimeout(resolve, REACTION_MS)
      setTimeout(resolve, LONGEST_MS).unref()
    })
  }
}
