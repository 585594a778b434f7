import type { Bytes, Shown } from './messages.ts'
import { Cache } from '../contract/cache.ts'
import type { MemoryUse } from '../contract/memory-use.ts'
import type { PolicySet } from './policy-usage.ts'

/** A body as bytes, and the rule and the policies that it was made with. */
interface CachedBody {
  bytes: Bytes
  used: PolicySet
  /** The section of the rule that selected the report in it; undefined where no report is selected. */
  rule?: string | undefined
  shown: Shown
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

/** Whether a body answers requests to an origin. */
export function isFor(body: CachedBody, origin: string): boolean {
  return body.origin === undefined || body.origin === origin
}
