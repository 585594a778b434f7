import type { AskedPolicies, PolicyTrail } from './policy-trail.ts'

const MAXIMUM_LISTS = 200

interface DerivedList {
  items: readonly unknown[]
  /** The policies that it was worked out by. */
  asked: AskedPolicies
}

/** Lists that were searched or sorted out of the records, kept until the records change. */
export class DerivedLists {
  readonly #trail: PolicyTrail
  readonly #lists = new Map<string, DerivedList>()
  #revision = -1

  constructor(trail: PolicyTrail) {
    this.#trail = trail
  }

  /** The list of that name, computed on its first use at this revision of the records. */
  get<Item>(name: string, revision: number, compute: () => readonly Item[]): readonly Item[] {
    if (revision !== this.#revision || this.#lists.size >= MAXIMUM_LISTS) {
      this.#lists.clear()
      this.#revision = revision
    }
    const known = this.#lists.get(name)
    if (known) {
      this.#trail.add(known.asked)
      return known.items as readonly Item[]
    }
    const { value, asked } = this.#trail.during(compute)
    // A copy, for lists of records change in place, and stale ones are read at this revision later (G-058).
    const items = [...value]
    this.#lists.set(name, { items, asked })
    return items
  }
}
