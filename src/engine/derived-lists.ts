import { Cache } from '../contract/cache.ts'
import type { PolicySet, PolicyUsage } from './policy-usage.ts'

/** Of 8 bytes each. */
const MAXIMUM_ITEMS = 2_000_000
/** What a list counts for besides its items, so that there are at most 200 of them. */
const ITEMS_OF_LIST = 10_000

interface DerivedList {
  items: readonly unknown[]
  /** The policies that it was computed with. */
  used: PolicySet
}

/** Filtered and sorted lists of records, kept until the records change. */
export class DerivedLists {
  readonly #usage: PolicyUsage
  readonly #lists = new Cache<string, DerivedList>(
    MAXIMUM_ITEMS,
    (_, { items }) => items.length + ITEMS_OF_LIST,
  )

  constructor(usage: PolicyUsage) {
    this.#usage = usage
  }

  /** The list of that name, computed on its first use at this revision of the records. */
  get<Item>(name: string, revision: number, compute: () => readonly Item[]): readonly Item[] {
    const lists = this.#lists.at(revision)
    const known = lists.get(name)
    if (known) {
      this.#usage.add(known.used)
      return known.items as readonly Item[]
    }
    const { value, used } = this.#usage.during(compute)
    // A copy, because lists of records change in place, and stale data is read at this revision later (G-058).
    const items = [...value]
    lists.set(name, { items, used })
    return items
  }
}
