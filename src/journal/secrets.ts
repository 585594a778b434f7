import type { TokenRecord } from '../contract/token.ts'
import { withoutSuffix } from '../records/namespaced-tokens.ts'
import { FOREIGN } from './redaction.ts'
import type { Secret } from './redaction.ts'

/** The bearer values that a world must not show: its own, and those that commands gave to others. */
export class Secrets {
  readonly #tokenSuffix: string
  readonly #given: Set<string>
  readonly #owners = new Map<string, number>()
  /** The last list, which holds as long as there are as many of each: values are forgotten all at once. */
  #listed: { owned: number; given: number; secrets: Secret[] } | undefined

  /** `given` is shared by the worlds of a process. */
  constructor({ tokenSuffix, givenValues }: { tokenSuffix: string; givenValues: Set<string> }) {
    this.#tokenSuffix = tokenSuffix
    this.#given = givenValues
  }

  /** The values that the world has, or had since it began, each with the id of its token. */
  get owners(): ReadonlyMap<string, number> {
    return this.#owners
  }

  /** The values that other worlds were given. */
  get others(): string[] {
    return [...this.#given].filter((value) => !this.#owners.has(value))
  }

  /** Takes in tokens that the world has. */
  keep(tokens: readonly TokenRecord[]): void {
    for (const { id, token } of tokens) {
      if (!token.endsWith(this.#tokenSuffix)) this.#given.add(token)
      for (const value of [token, withoutSuffix(token)]) {
        if (!this.#owners.has(value)) this.#owners.set(value, id)
      }
    }
  }

  /** Forgets what the world had: it begins anew, with these tokens. */
  restart(tokens: readonly TokenRecord[]): void {
    this.#owners.clear()
    this.#listed = undefined
    this.keep(tokens)
  }

  /** All that must not be shown, with what stands for it. */
  list(): readonly Secret[] {
    const [owned, given] = [this.#owners.size, this.#given.size]
    if (this.#listed?.owned === owned && this.#listed.given === given) return this.#listed.secrets
    const own = [...this.#owners].map(([value, id]) => ({ value, placeholder: `[token ${id}]` }))
    const others = this.others.map((value) => ({ value, placeholder: FOREIGN }))
    const secrets = [...own, ...others]
    this.#listed = { owned, given, secrets }
    return secrets
  }
}
