import { Cache } from '../contract/cache.ts'
import type { PolicySet } from './policy-usage.ts'
import type { Content } from './responses.ts'

interface CachedBody extends Omit<Content, 'type'> {
  /** The policies that it was made with. */
  used: PolicySet
  /** The origin that it names; undefined if it is the same for any origin. */
  origin: string | undefined
}

const LIMITS = { entries: 2000, size: 8 * 1024 * 1024 }

/** The bodies of responses by request, valid for a revision of the records and a `cache_refreshed_at` interval. */
export function createBodyCache(): Cache<string, CachedBody> {
  return new Cache({ ...LIMITS, sizeOf: (_, { bytes }) => bytes.byteLength })
}
