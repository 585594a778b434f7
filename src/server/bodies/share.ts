/** Memory that some bodies may take together. Where they take more, all but the oldest wait, so that one always goes on. */
export class Share {
  readonly #limitBytes: number
  /** What each body takes, the oldest first. */
  readonly #taken = new Map<object, number>()
  #total = 0
  #waiting: (() => void)[] = []

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get isUnused(): boolean {
    return this.#taken.size === 0
  }

  /** Notes how many bytes a body takes by now, and returns whether it has to wait before it takes more. */
  take(body: object, bytes: number): boolean {
    this.#total += bytes - (this.#taken.get(body) ?? 0)
    this.#taken.set(body, bytes)
    return this.#mustWait(body)
  }

  /** Resolves when a body may take more. */
  async turnOf(body: object): Promise<void> {
    while (this.#mustWait(body)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  release(body: object): void {
    this.#total -= this.#taken.get(body) ?? 0
    this.#taken.delete(body)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #mustWait(body: object): boolean {
    const [oldest] = this.#taken.keys()
    return this.#total > this.#limitBytes && this.#taken.has(body) && oldest !== body
  }
}
