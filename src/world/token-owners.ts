/** Maps each bearer value to its world; of several worlds that have it, one takes precedence. */
export class TokenOwners {
  readonly #first: string
  /** The worlds that have a value, in order of precedence. */
  readonly #claimants = new Map<string, string[]>()
  readonly #values = new Map<string, ReadonlySet<string>>()

  /** `first` is the id of the world that always takes precedence; among the others the earliest does. */
  constructor({ first }: { first: string }) {
    this.#first = first
  }

  /** Replaces the values of a world; an empty set removes it. */
  set(world: string, values: ReadonlySet<string>): void {
    const before = this.#values.get(world) ?? new Set()
    for (const value of before) if (!values.has(value)) this.#release(value, world)
    for (const value of values) if (!before.has(value)) this.#claim(value, world)
    if (values.size > 0) this.#values.set(world, values)
    else this.#values.delete(world)
  }

  /** The world of a value; undefined where none has it. */
  ownerOf(value: string): string | undefined {
    return this.#claimants.get(value)?.[0]
  }

  #claim(value: string, world: string): void {
    const others = this.#claimants.get(value) ?? []
    this.#claimants.set(value, world === this.#first ? [world, ...others] : [...others, world])
  }

  #release(value: string, world: string): void {
    const others = (this.#claimants.get(value) ?? []).filter((claimant) => claimant !== world)
    if (others.length > 0) this.#claimants.set(value, others)
    else this.#claimants.delete(value)
  }
}
