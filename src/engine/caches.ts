import { Cache } from '../contract/cache.ts'
import type { PolicySet, PolicyUsage } from './policy-usage.ts'
import type { Content } from './responses.ts'

interface CachedBody extends Omit<Content, 'type'> {
  used: PolicySet
  /** The origin that the body names; undefined if the body is the same for any origin. */
  origin: string | undefined
}

/** Values computed from the records. Engines over the same records may share these caches, even if their policies differ. */
export interface EngineCaches {
  /** Response bodies by request, for one revision of the records and one `cache_refreshed_at`. */
  bodies: Cache<string, CachedBody>
  /** Filtered and sorted lists by name, for one revision of the records. */
  lists: ReturnType<typeof createListCache>
}

const BODY_LIMITS = { entries: 2000, size: 8 * 1024 * 1024 }

export function createCaches(): EngineCaches {
  return {
    bodies: new Cache({ ...BODY_LIMITS, sizeOf: (_, { bytes }) => bytes.byteLength }),
    lists: createListCache(),
  }
}

/** `size` is the total number of items in all lists; an item takes eight bytes. */
const LIMITS = { entries: 200, size: 2_000_000 }

interface DerivedList {
  items: readonly unknown[]
  used: PolicySet
}

function createListCache(): Cache<string, DerivedList> {
  return new Cache({ ...LIMITS, sizeOf: (_, { items }) => items.length })
}

/** Filtered and sorted lists of records, cached until the records change. */
export class DerivedLists {
  readonly #usage: PolicyUsage
  readonly #lists: Cache<string, DerivedList>

  constructor(usage: PolicyUsage, lists = createListCache()) {
    this.#usage = usage
    this.#lists = lists
  }

  /** Returns the list called `name`. Computes it on first use at this revision of the records. */
  get<Item>(name: string, revision: number, compute: () => readonly Item[]): readonly Item[] {
    const lists = this.#lists.at(revision)
    const known = this.#usage.find(lists, name)
    if (known) return known.items as readonly Item[]
    const { value, used } = this.#usage.during(compute)
    // Copied, because lists of records change in place, and stale data may still be read at this revision (G-058).
    const items = [...value]
    this.#usage.keep(lists, name, { items, used })
    return items
  }
}
