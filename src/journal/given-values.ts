import type { Match } from './aho-corasick.ts'
import { BearerFinder } from './bearer-finder.ts'
import type { BearerSearch } from './bearer-finder.ts'

/** How many characters they may have together. */
const MAXIMUM_LENGTH = 1_000_000

/**
 * The secrets that no world of a process may show: the admin key, and bearer values that commands gave to isolated worlds; if
 * there are very many of those, the oldest are forgotten.
 */
export class GivenValues implements BearerSearch {
  readonly #permanent = new Set<string>()
  readonly #values = new Set<string>()
  #length = 0
  /** Made again after a value was added. */
  #finder: BearerFinder | undefined

  inText(text: string): Match[] {
    return this.#current().inText(text)
  }

  inEncoded(text: string): Match[] {
    return this.#current().inEncoded(text)
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
    this.#finder = undefined
  }

  /** Adds a value that is never forgotten. */
  addForGood(value: string): void {
    this.#permanent.add(value)
    this.#finder = undefined
  }

  #current(): BearerFinder {
    this.#finder ??= new BearerFinder([...this.#permanent, ...this.#values])
    return this.#finder
  }
}
