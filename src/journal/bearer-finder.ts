import { AhoCorasick } from './aho-corasick.ts'
import type { Match } from './aho-corasick.ts'

/** Minimum length at which a bearer value is unlikely to be part of an unrelated word, in characters. */
const LONG = 8

/** A search for bearer values in text. Matches may overlap. */
export interface BearerSearch {
  /** Finds values anywhere in text. Values shorter than eight characters are found only as whole words. */
  inText(text: string): Match[]
  /** Finds values that contain a percent sign, in text that is still percent-encoded. Short values are found as in `inText`. */
  inEncoded(text: string): Match[]
}

/** Finds any of several bearer values. */
export class BearerFinder implements BearerSearch {
  readonly #values: readonly string[]
  readonly #encodedValues: readonly string[]
  #anywhere: AhoCorasick | undefined
  #encoded: AhoCorasick | undefined

  constructor(values: Iterable<string>) {
    this.#values = [...values]
    this.#encodedValues = this.#values.filter((value) => value.includes('%'))
  }

  inText(text: string): Match[] {
    if (this.#values.length === 0) return []
    this.#anywhere ??= new AhoCorasick(this.#values)
    return this.#anywhere.find(text, (match) => isOwnWord(text, match))
  }

  inEncoded(text: string): Match[] {
    if (this.#encodedValues.length === 0) return []
    this.#encoded ??= new AhoCorasick(this.#encodedValues)
    return this.#encoded.find(text, (match) => isOwnWord(text, match))
  }
}

function isOwnWord(text: string, { start, end }: Match): boolean {
  if (end - start >= LONG) return true
  return !isAlphanumeric(text.charAt(start - 1)) && !isAlphanumeric(text.charAt(end))
}

function isAlphanumeric(character: string): boolean {
  return /[A-Za-z0-9]/.test(character)
}

/** Maximum total length of the values from commands, in characters. */
const MAXIMUM_LENGTH = 1_000_000

/**
 * The secrets that no world of a process may show: the admin key, and bearer values that commands gave to isolated worlds. Beyond
 * `MAXIMUM_LENGTH`, the oldest of the values from commands are forgotten.
 */
export class GivenValues implements BearerSearch {
  readonly #permanent = new Set<string>()
  readonly #values = new Set<string>()
  #length = 0
  /** Created on first use, and dropped when the values change. */
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

  addForGood(value: string): void {
    this.#permanent.add(value)
    this.#finder = undefined
  }

  #current(): BearerFinder {
    this.#finder ??= new BearerFinder([...this.#permanent, ...this.#values])
    return this.#finder
  }
}
