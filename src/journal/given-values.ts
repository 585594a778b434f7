/** How many characters they may have together. */
const MAXIMUM_LENGTH = 1_000_000

/**
 * The secrets that no world of a process may show: the admin key, and bearer values that commands gave to isolated worlds; if
 * there are very many of those, the oldest are forgotten.
 */
export class GivenValues implements Iterable<string> {
  readonly #permanent = new Set<string>()
  readonly #values = new Set<string>()
  #length = 0
  #revision = 0

  /** Changes when the values change. */
  get revision(): number {
    return this.#revision
  }

  [Symbol.iterator](): Iterator<string> {
    return [...this.#permanent, ...this.#values].values()
  }

  add(value: string): void {
    if (this.#values.has(value)) return
    this.#values.add(value)
    this.#length += value.length
    for (const oldest of this.#values) {
      if (this.#length <= MAXIMUM_LENGTH) break
      this.#values.delete(oldest)
      this.#length -= oldest.length
    }
    this.#revision += 1
  }

  /** Adds a value that is never forgotten. */
  addForGood(value: string): void {
    this.#permanent.add(value)
    this.#revision += 1
  }
}
