import { AhoCorasick } from './aho-corasick.ts'
import type { Match } from './aho-corasick.ts'

/** From this length on, a bearer value is unlikely to be part of an unrelated word. */
const LONG = 8

/** A search for bearer values, whose matches may overlap. */
export interface BearerSearch {
  /** Values anywhere in a text; those of fewer than eight characters only where they are words of their own. */
  inText(text: string): Match[]
  /** The same for values that look percent-encoded. */
  inEncoded(text: string): Match[]
}

/** Finds any of some bearer values. It is prepared when it is first used. */
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
