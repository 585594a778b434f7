import type { TokenRecord } from '../contract/token.ts'
import { withoutSuffix } from '../records/bearer-tokens.ts'
import type { BearerSearch } from './bearer-finder.ts'
import type { GivenValues } from './given-values.ts'
import { Redactor } from './redactor.ts'

/** Maximum length of the bearer values of a world, its earlier ones included, in characters. Each counts as 20 more. */
const MOST_CHARACTERS = 3_000_000
const VALUE_CHARACTERS = 20

/** The bearer values that a world must not show: its own, those that commands gave to other worlds, and the admin key. */
export class Secrets {
  readonly #tokenSuffix: string
  readonly #given: GivenValues
  readonly #owners = new Map<string, number>()
  #length = 0
  /** Valid until a value of the world is added or forgotten. */
  #redactor: Redactor | undefined

  /** `given` is shared by the worlds of a process. */
  constructor({ tokenSuffix, givenValues }: { tokenSuffix: string; givenValues: GivenValues }) {
    this.#tokenSuffix = tokenSuffix
    this.#given = givenValues
  }

  /** The values that the world has, or has had since it started, each with the id of its token. Of very many the oldest are forgotten. */
  get owners(): ReadonlyMap<string, number> {
    return this.#owners
  }

  /** The values that commands gave to any world, and the admin key. */
  get others(): BearerSearch {
    return this.#given
  }

  /** Adds tokens of the world. */
  keep(tokens: readonly TokenRecord[]): void {
    for (const { id, token } of tokens) {
      if (!token.endsWith(this.#tokenSuffix)) this.#given.add(token)
      for (const value of [token, withoutSuffix(token)]) {
        if (!this.#owners.has(value)) this.#own(value, id)
      }
    }
    if (this.#length > MOST_CHARACTERS) this.#forgetAllBut(tokens)
  }

  #forgetAllBut(tokens: readonly TokenRecord[]): void {
    const kept = new Set(tokens.flatMap(({ token }) => [token, withoutSuffix(token)]))
    for (const value of this.#owners.keys()) {
      if (!kept.has(value)) this.#disown(value)
      if (this.#length <= MOST_CHARACTERS / 2) break
    }
  }

  #disown(value: string): void {
    this.#owners.delete(value)
    this.#length -= VALUE_CHARACTERS + value.length
    this.#redactor = undefined
  }

  #own(value: string, id: number): void {
    this.#owners.set(value, id)
    this.#length += VALUE_CHARACTERS + value.length
    this.#redactor = undefined
  }

  /** Clears the values of the world, which starts again with these tokens. */
  restart(tokens: readonly TokenRecord[]): void {
    this.#owners.clear()
    this.#length = 0
    this.#redactor = undefined
    this.keep(tokens)
  }

  /** Continues with the owners of another one. */
  resume(owners: Iterable<readonly [value: string, id: number]>): void {
    this.restart([])
    for (const [value, id] of owners) this.#own(value, id)
  }

  /** Replaces every value that must not be shown. */
  get redactor(): Redactor {
    this.#redactor ??= new Redactor({
      placeholders: new Map([...this.#owners].map(([value, id]) => [value, `[token ${id}]`])),
      others: this.#given,
      foreign: '[token]',
    })
    return this.#redactor
  }
}
