import { Cache } from '../contract/cache.ts'
import type { PolicySet, PolicyUsage } from './policy-usage.ts'
import type { Content } from './responses.ts'

interface CachedBody extends Omit<Content, 'type'> {
  /** The policies that the body was made with. */
  used: PolicySet
  /** The origin that the body names; undefined if the body is the same for any origin. */
  origin: string | undefined
}

/** Data that engines keep until the records change. Engines with other policies over the same records may share it. */
export interface EngineCaches {
  /** The bodies of responses by request, valid for a revision of the records and a `cache_refreshed_at` interval. */
  bodies: Cache<string, CachedBody>
  lists: ReturnType<typeof createListCache>
}

const BODY_LIMITS = { entries: 2000, size: 8 * 1024 * 1024 }

export function createCaches(): EngineCaches {
  return {
    bodies: new Cache({ ...BODY_LIMITS, sizeOf: (_, { bytes }) => bytes.byteLength }),
    lists: createListCache(),
  }
}

/** `size` is the number of items of all lists: each takes eight bytes. */
const LIMITS = { entries: 200, size: 2_000_000 }

interface DerivedList {
  items: readonly unknown[]
  /** The policies that the list was computed with. */
  used: PolicySet
}

function createListCache(): Cache<string, DerivedList> {
  return new Cache({ ...LIMITS, sizeOf: (_, { items }) => items.length })
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
