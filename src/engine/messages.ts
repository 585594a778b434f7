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
  /** The path as sent, from the root, still percent-encoded. */
  path: string
  /** The query as sent, without the question mark. */
  query: string
  /** Returns the value of a header, several values joined by a comma; undefined if it was not sent. */
  header: (name: ReadHeader) => string | undefined
  /**
   * All headers as they were sent, names and values in turn, for the journal; if omitted, the journal has only the headers that
   * the API reads. Must not be changed.
   */
  headers?: readonly string[]
  /** The address that the request came from. */
  clientIp: string
  /** Scheme and host as the client named them, like `http://localhost:4010`. */
  origin: string
  /** Number of the connection of the request; undefined if there was none, or several clients may share it. */
  connection?: number | undefined
  /** Number of open connections that had sent requests, if `connection` is known. */
  openConnections?: number
  /** Responses for which `onEnd` will be called: all, or those that a fault delays; none if omitted. */
  observesEnd?: 'all' | 'delayed'
}

/** A Uint8Array that `Response` takes: `Uint8Array<ArrayBuffer>`, which is an error before TypeScript 5.7. */
export type Bytes = ReturnType<typeof Uint8Array.of>

/** A response as plain data. */
export interface ApiResponse {
  /** 0 if no response arrives, because the connection is reset or nothing is ever sent. */
  status: number
  /** Must not be changed: responses may share them. */
  headers: Readonly<Record<string, string>>
  /** The bytes of the body; adapters leave it out for HEAD requests. */
  body: Bytes
  /** The name of the token of the request, for logs; undefined if it is unknown. */
  caller: string | undefined
  /** Reason for another status than 200; undefined for a 200 and for the response of a fault. */
  problem?: ProblemCode | undefined
  /** The section of the rule that selected the report in it, or none; undefined if no report is selected. */
  rule?: string | undefined
  /** Content of the body of a 200; undefined if a fault has made the body unreadable. */
  shown?: Shown | undefined
  /** Seconds in Retry-After; undefined without the header. */
  waitSeconds?: number | undefined
  /** The rate-limit windows that rejected the request. */
  exhausted?: readonly WindowName[]
  /** The policies that the response depends on, in the order of the gaps. */
  policies?: readonly PolicyName[]
  /** Faults on the wire, which the adapter applies; none if omitted. */
  wire?: WireFault | undefined
  /** True if its delays use the global timers of that moment, which a test may have faked; if omitted, those of the machine. */
  followsTimers?: boolean
  /** The ids of the faults that affected the response, in the order armed; none if omitted. */
  faults?: readonly number[]
  /** The ids of the faults that only delayed it, and so decided nothing; none if omitted. */
  delays?: readonly number[] | undefined
  /** To be called once the last byte is sent, or the client has gone before that; undefined if nobody needs to know. */
  onEnd?: ((how: 'sent' | 'aborted') => void) | undefined
}

/** Content of a body, as far as a review of the client depends on it. Responses with the same cached body share it. */
export interface Shown {
  readonly reports?: readonly ShownReport[]
  /** The link to the next page, null on the last one; undefined for a body without pages. */
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
  /** The section of the rule that selected the report in it; undefined if no report is selected. */
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
  /** Returns the origin of the request. A response that reads it is cached for this origin alone. */
  origin: () => string
  token: TokenRecord
  records: RecordReader
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** The `cache_refreshed_at` of the response. */
  refreshedAt: string
  policy: ReadPolicy
  /**
   * Returns a list computed from the records, cached until they change by its `name` and the policies that `compute` reads. The
   * name has to contain everything else that the list depends on.
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
 * Value of a header, several values joined by a comma; undefined if it is missing. `name` is lower-case.
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
