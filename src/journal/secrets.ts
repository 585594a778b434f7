import { MemoryUse } from '../contract/memory-use.ts'
import { bytesOf } from '../contract/plain-size.ts'
import type { TokenRecord } from '../contract/token.ts'
import { withoutSuffix } from '../records/namespaced-tokens.ts'
import type { FindsBearers } from './bearer-finder.ts'
import type { GivenValues } from './given-values.ts'
import { Redactor } from './redactor.ts'

/** The bearer values that a world must not show: its own, those that commands gave to other worlds, and the admin key. */
export class Secrets {
  readonly memory = new MemoryUse()
  readonly #tokenSuffix: string
  readonly #given: GivenValues
  readonly #owners = new Map<string, number>()
  /** The last redactor, valid while there are as many: values of the world are only added, or all cleared at once. */
  #cached: { owned: number; redactor: Redactor } | undefined

  /** `given` is shared by the worlds of a process. */
  constructor({ tokenSuffix, givenValues }: { tokenSuffix: string; givenValues: GivenValues }) {
    this.#tokenSuffix = tokenSuffix
    this.#given = givenValues
  }

  /** The values that the world has, or has had since it started, each with the id of its token. */
  get owners(): ReadonlyMap<string, number> {
    return this.#owners
  }

  /** The values that commands gave to any world, and the admin key. */
  get others(): FindsBearers {
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
  }

  #own(value: string, id: number): void {
    this.#owners.set(value, id)
    this.memory.add(bytesOf(value))
  }

  /** Clears the values of the world, which starts again with these tokens. */
  restart(tokens: readonly TokenRecord[]): void {
    this.#owners.clear()
    this.memory.add(-this.memory.bytes)
    this.#cached = undefined
    this.keep(tokens)
  }

  /** Continues with the owners of another one. */
  resume(owners: Iterable<readonly [value: string, id: number]>): void {
    this.restart([])
    for (const [value, id] of owners) this.#own(value, id)
  }

  /** Replaces every value that must not be shown. */
  get redactor(): Redactor {
    const owned = this.#owners.size
    if (this.#cached?.owned !== owned) {
      const own = [...this.#owners].map(([value, id]) => [value, `[token ${id}]`] as const)
      const values = { placeholders: new Map(own), others: this.#given, foreign: '[token]' }
      this.#cached = { owned, redactor: new Redactor(values) }
    }
    return this.#cached.redactor
  }
}
