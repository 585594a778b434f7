import { Cache } from '../contract/cache.ts'
import { createListCache } from './derived-lists.ts'
import type { PolicySet } from './policy-usage.ts'
import type { Content } from './responses.ts'

interface CachedBody extends Omit<Content, 'type'> {
  /** The policies that it was made with. */
  used: PolicySet
  /** The origin that it names; undefined if it is the same for any origin. */
  origin: string | undefined
}

/** What engines keep until the records change. Those with other policies over the same records may share it. */
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
