/** How long work goes on before the tab gets its turn, in milliseconds: well below what anybody notices. */
const TURN_MS = 20

/** Long work in a tab, which lets other work go on wherever it pauses. */
export class Turns {
  #begunMs = performance.now()
  #earlierMs = 0

  /** How long it has worked so far, in milliseconds, without its pauses. */
  get workedMs(): number {
    return this.#earlierMs + performance.now() - this.#begunMs
  }

  /** Pauses where it has worked for a turn; undefined where it has not. */
  readonly pause = (): Promise<void> | undefined => {
    if (performance.now() - this.#begunMs < TURN_MS) return undefined
    this.#earlierMs = this.workedMs
    return new Promise((resolve) => {
      setTimeout(() => {
        this.#begunMs = performance.now()
        resolve()
      })
    })
  }
}
