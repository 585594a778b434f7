import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'

/** Everything that the response to an admitted request depends on. */
export interface OperationContext {
  /** The values of the path's parameters, percent-decoded, in the path's order. */
  params: readonly string[]
  query: URLSearchParams
  /** The names of the query parameters that the operation takes. */
  knownParameters: readonly string[]
  /** The path of the operation from the root, without a query, for page links. */
  path: string
  /** The origin of the request. A response that reads it is cached for this one alone. */
  origin: () => string
  token: TokenRecord
  records: RecordReader
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** The `cache_refreshed_at` of the response. */
  refreshedAt: string
  policy: ReadPolicy
  /**
   * A list computed from the records, cached until they change by its `name` and the policies that `compute` reads.
   * The name says what else it depends on.
   */
  derive: <Item>(name: string, compute: () => readonly Item[]) => readonly Item[]
}
