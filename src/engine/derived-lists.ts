import type { PolicySet, PolicyUsage } from './policy-usage.ts'

const MAXIMUM_LISTS = 200

interface DerivedList {
  items: readonly unknown[]
  /** The policies that it was computed with. */
  used: PolicySet
}

/** Filtered and sorted lists of records, kept until the records change. */
export class DerivedLists {
  readonly #usage: PolicyUsage
  readonly #lists = new Map<string, DerivedList>()
  #revision = -1

  constructor(usage: PolicyUsage) {
    this.#usage = usage
  }

  /** The list of that name, computed on its first use at this revision of the records. */
  get<Item>(name: string, revision: number, compute: () => readonly Item[]): readonly Item[] {
    if (revision !== this.#revision || this.#lists.size >= MAXIMUM_LISTS) {
      this.#lists.clear()
      this.#revision = revision
    }
    const known = this.#lists.get(name)
    if (known) {
      this.#usage.add(known.used)
      return known.items as readonly Item[]
    }
    const { value, used } = this.#usage.during(compute)
    // A copy, because lists of records change in place, and stale data is read at this revision later (G-058).
    const items = [...value]
    this.#lists.set(name, { items, used })
    return items
  }
}
