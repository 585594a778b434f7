import type { PolicyName, ReadPolicy } from '../contract/policies.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { WireFault } from '../contract/wire-fault.ts'
import type { WindowName } from './rate-windows.ts'

/** A request as plain data. Adapters create it; the engine answers it. */
export interface ApiRequest {
  method: string
  /** The path as sent, from the root, percent-encoding and all. */
  path: string
  /** The query as sent, without the question mark. */
  query: string
  /** A header's value, several joined by a comma; undefined where it was not sent. */
  header: (name: ReadHeader) => string | undefined
  /**
   * All headers as they were sent, names and values in turn, for the journal; where omitted, it has those that the API
   * reads. Must not be changed.
   */
  headers?: readonly string[]
  /** The address the request came from. */
  clientIp: string
  /** Scheme and host as the client named them, like `http://localhost:4010`. */
  origin: string
  /** The number of the connection that it came on; undefined where there was none, or several clients may share it. */
  connection?: number | undefined
  /** How many connections were open that had sent requests, where `connection` is known. */
  openConnections?: number
  /** For which responses `onEnd` will be called: all, or those that a fault delays; none where omitted. */
  observesEnd?: 'all' | 'delayed'
}

/** A Uint8Array that `Response` takes: `Uint8Array<ArrayBuffer>`, which is an error before TypeScript 5.7. */
export type Bytes = ReturnType<typeof Uint8Array.of>

/** A response as plain data. */
export interface ApiResponse {
  /** 0 where no response arrives, because the connection is reset or nothing is ever sent. */
  status: number
  /** Must not be changed: responses may share them. */
  headers: Readonly<Record<string, string>>
  /** The bytes of the body; adapters leave it out for HEAD requests. */
  body: Bytes
  /** The name of the token of the request; undefined where it is unknown. For logs. */
  caller: string | undefined
  /** Why it is not a 200; undefined for a 200 and for the response of a fault. */
  problem?: ProblemCode | undefined
  /** The section of the rule that selected the report in it, or none; undefined where no report is selected. */
  rule?: string | undefined
  /** What the body of a 200 shows; undefined where a fault has made the body unreadable. */
  shown?: Shown | undefined
  /** The seconds in Retry-After; undefined without one. */
  waitSeconds?: number | undefined
  /** The rate-limit windows that rejected the request. */
  exhausted?: readonly WindowName[]
  /** The policies that it depends on, in the order of the gaps. */
  policies?: readonly PolicyName[]
  /** What happens to it on its way, which the adapter applies; nothing where omitted. */
  wire?: WireFault | undefined
  /** Whether its delays use the global timers of that moment, which a test may have faked; those of the machine where omitted. */
  followsTimers?: boolean
  /** The ids of the faults that affected it, in the order armed; none where omitted. */
  faults?: readonly number[]
  /** Those of them that only delayed it, and so decided nothing; none where omitted. */
  delays?: readonly number[] | undefined
  /** To be called once its last byte is sent, or its client has gone before that; undefined where nobody needs to know. */
  onEnd?: ((how: 'sent' | 'aborted') => void) | undefined
}

/** What a body shows, as far as a review of the client depends on it. Responses with the same cached body share it. */
export interface Shown {
  readonly reports?: readonly ShownReport[]
  /** The link to the next page, null on the last one; undefined for what has no pages. */
  readonly next?: string | null
}

export type ShownReport = Readonly<Pick<ReportRecord, 'id' | 'report_number' | 'status'>>

export function toShown(reports: readonly ReportRecord[]): Shown {
  return {
    reports: reports.map(({ id, report_number, status }) => ({ id, report_number, status })),
  }
}

/** The result of an operation: a body for the 200, or a problem. */
export type OperationResult = Result | Refusal

interface Result {
  body: object
  shown?: Shown
  /** The section of the rule that selected the report in it; undefined where no report is selected. */
  rule?: string
}

export interface Refusal {
  problem: ProblemCode
  /** Names that the body must list (specification 4.3(1)). */
  allowedParameters?: readonly string[]
  /** The section of the rule by which no report is selected; undefined for any other problem. */
  rule?: string
}

export function refuse(problem: ProblemCode): Refusal {
  return { problem }
}

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

/** Headers in which other APIs take a token. This API does not read their values; a review reports that one was sent. */
export const TOKEN_HEADERS = [
  'api-key',
  'apikey',
  'token',
  'x-access-token',
  'x-api-key',
  'x-auth-token',
] as const

/** Header of the console's own requests to the API, which are not requests of a client. */
export const CONSOLE_HEADER = 'x-sandbox-console'

/** The headers of a request that are read: for its response, its journal, its session and its review. */
export const READ_HEADERS = [
  'accept',
  'authorization',
  'origin',
  'range',
  CONSOLE_HEADER,
  ...TOKEN_HEADERS,
] as const
export type ReadHeader = (typeof READ_HEADERS)[number]

/**
 * A header's value, several joined by a comma; undefined if it is not among them. `name` is lower-case.
 *
 * @param headers Names and values in turn, as they were sent.
 */
export function headerIn(headers: readonly string[], name: string): string | undefined {
  let value: string | undefined
  for (let at = 0; at < headers.length; at += 2) {
    const field = headers[at] ?? ''
    if (field.length !== name.length || field.toLowerCase() !== name) continue
    const next = headers[at + 1] ?? ''
    value = value === undefined ? next : `${value}, ${next}`
  }
  return value
}
