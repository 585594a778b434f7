import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'

/** Everything that the answer to an admitted request depends on. */
export interface OperationContext {
  /** The values of the path's parameters, percent-decoded, in the path's order. */
  params: readonly string[]
  query: URLSearchParams
  /** The names of the query parameters that the operation takes. */
  knownParameters: readonly string[]
  /** The path of the operation from the root, without a query: what page links lead to. */
  path: string
  origin: string
  token: TokenRecord
  records: RecordReader
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** The `cache_refreshed_at` of the answer. */
  refreshedAt: string
  policy: ReadPolicy
  /** A list made from the records, made again only when they change. `name` tells it from others. */
  derive: <Item>(name: string, compute: () => readonly Item[]) => readonly Item[]
}
