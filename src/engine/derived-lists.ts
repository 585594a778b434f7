import { Cache } from '../contract/cache.ts'
import type { MemoryUse } from '../contract/memory-use.ts'
import type { PolicySet, PolicyUsage } from './policy-usage.ts'

const MAXIMUM_BYTES = 16 * 1024 * 1024
const ITEM_BYTES = 8
/** What a list takes besides its items. */
const LIST_BYTES = 400

interface DerivedList {
  items: readonly unknown[]
  /** The policies that it was computed with. */
  used: PolicySet
}

export function createListCache(memory?: MemoryUse): Cache<string, DerivedList> {
  return new Cache(MAXIMUM_BYTES, (_, { items }) => items.length * ITEM_BYTES + LIST_BYTES, memory)
}

/** Filtered and sorted lists of records, kept until the records change. */
export class DerivedLists {
  readonly #usage: PolicyUsage
  readonly #lists: Cache<string, DerivedList>

  constructor(usage: PolicyUsage, lists = createListCache()) {
    this.#usage = usage
    this.#lists = lists
  }

  /** The list of that name, computed on its first use at this revision of the records. */
  get<Item>(name: string, revision: number, compute: () => readonly Item[]): readonly Item[] {
    const lists = this.#lists.at(revision)
    const known = this.#usage.find(lists, name)
    if (known) return known.items as readonly Item[]
    const { value, used } = this.#usage.during(compute)
    // A copy, because lists of records change in place, and stale data is read at this revision later (G-058).
    const items = [...value]
    this.#usage.keep(lists, name, { items, used })
    return items
  }
}
