import { Cache } from '../contract/cache.ts'
import type { MemoryUse } from '../contract/memory-use.ts'
import type { PolicySet } from './policy-usage.ts'
import type { Content } from './responses.ts'

interface CachedBody extends Omit<Content, 'type'> {
  /** The policies that it was made with. */
  used: PolicySet
  /** The origin that it names; undefined if it is the same for any origin. */
  origin: string | undefined
}

const MAXIMUM_BYTES = 16 * 1024 * 1024
const BYTES_PER_CHARACTER = 2
const ENTRY_BYTES = 500

/** The bodies of responses by request, valid for a revision of the records and a `cache_refreshed_at` interval. */
export function createBodyCache(memory?: MemoryUse): Cache<string, CachedBody> {
  return new Cache(
    MAXIMUM_BYTES,
    (key, { bytes }) => bytes.byteLength + key.length * BYTES_PER_CHARACTER + ENTRY_BYTES,
    memory,
  )
}
