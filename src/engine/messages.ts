import type { PolicyName, ReadPolicy } from '../contract/policies.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { WireFault } from '../contract/wire-fault.ts'
import type { WindowName } from './rate-windows.ts'

/** A request as plain data, created by an adapter. */
export interface ApiRequest {
  method: string
  /** The path as sent, from the root, with its percent-encoding. */
  path: string
  /** The query as sent, without the question mark. */
  query: string
  /** Returns the value of a header, with repeated headers joined by a comma; undefined if it was not sent. */
  header: (name: ReadHeader) => string | undefined
  /**
   * All headers as sent, for the journal: alternating names and values. If omitted, the journal has only the headers that the API
   * reads. Must not be changed.
   */
  headers?: readonly string[]
  clientIp: string
  /**
   * Base of absolute links: the public URL of the server, if it has one, or else scheme and host as the client named them, like
   * `http://localhost:4010`.
   */
  origin: string
  /** Identifies the client's connection; undefined if there is none, or if several clients may share it. */
  connection?: number | undefined
  /** Number of open connections that have sent requests, including this one; ignored if `connection` is undefined. */
  openConnections?: number
  /** Responses for which the adapter calls `onEnd`: all, or only those with a fault on the wire; none if omitted. */
  observesEnd?: 'all' | 'delayed'
}

/**
 * The type of Uint8Array that `Response` accepts. Derived from a function, because TypeScript before 5.7 does not accept the name
 * `Uint8Array<ArrayBuffer>`.
 */
export type Bytes = ReturnType<typeof Uint8Array.of>

export interface ApiResponse {
  /** The HTTP status; 0 if no response arrives, because the connection is reset or nothing is ever sent. */
  status: number
  /** Must not be changed, because responses may share one object. */
  headers: Readonly<Record<string, string>>
  /** The bytes of the body; adapters leave it out for HEAD requests. */
  body: Bytes
  /** Name of the request's token, for logs; undefined if the token is missing or unknown. */
  caller: string | undefined
  /** Reason for a status other than 200; undefined for a 200, and if a fault replaced the response. */
  problem?: ProblemCode | undefined
  /** Section of the rule that decided the selection of a report; undefined if no selection took place. */
  rule?: string | undefined
  /** Reports and page link in the body of a 200; undefined for any other status, and for JSON that a fault has malformed. */
  shown?: Shown | undefined
  /** Value of Retry-After, in seconds; undefined if the header is absent, or if a fault makes it a date or other text. */
  waitSeconds?: number | undefined
  /** Rate-limit windows that reject the request; none if omitted. */
  exhausted?: readonly WindowName[]
  /** Policies read for the response or, in a world that shows gaps, only those that matter to it; in the order of the gaps. */
  policies?: readonly PolicyName[]
  /** Faults on the wire, which the adapter applies; none if omitted. */
  wire?: WireFault | undefined
  /** If true, delays use the current global timers, which a test may have faked; if omitted, native timers. */
  followsTimers?: boolean
  /** Ids of the faults that affected the response, in the order in which they were added; none if omitted. */
  faults?: readonly number[]
  /** Ids of the faults that only delayed the response; none if omitted. */
  delays?: readonly number[] | undefined
  /** Called by the adapter after the last byte is sent, or when the client disconnects; undefined if no call is needed. */
  onEnd?: ((how: 'sent' | 'aborted') => void) | undefined
}

/** The content of a body that a review of the client needs. Responses with the same cached body share one object. */
export interface Shown {
  readonly reports?: readonly ShownReport[]
  /** The link to the next page, null on the last page; undefined unless the body is a page of projects. */
  readonly next?: string | null
}

export type ShownReport = Readonly<Pick<ReportRecord, 'id' | 'report_number' | 'status'>>

export function toShown(reports: readonly ReportRecord[]): Shown {
  return {
    reports: reports.map(({ id, report_number, status }) => ({ id, report_number, status })),
  }
}

/** The result of an operation: the body of a 200, or a problem. */
export type OperationResult = Result | Refusal

interface Result {
  body: object
  shown?: Shown
  /** Section of the rule that decided the selection of a report; undefined for operations without a selection. */
  rule?: string
}

export interface Refusal {
  problem: ProblemCode
  /** Parameter names that the body must list (specification 4.3(1)); none if omitted. */
  allowedParameters?: readonly string[]
  /** Section of the rule that selected no report; undefined for any other problem. */
  rule?: string
}

export function refuse(problem: ProblemCode): Refusal {
  return { problem }
}

/** The input of an operation for one admitted request. */
export interface OperationContext {
  /** Values of the path parameters, percent-decoded, in order. */
  params: readonly string[]
  query: URLSearchParams
  /** Names of the query parameters that the operation accepts, including those that it ignores. */
  knownParameters: readonly string[]
  /** The path of the operation from the root, without a query, for page links. */
  path: string
  /**
   * Returns the origin of the request. Must be called only for a response that depends on it, because the cached response is then
   * valid for this origin alone.
   */
  origin: () => string
  token: TokenRecord
  records: RecordReader
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** The `cache_refreshed_at` of the response. */
  refreshedAt: string
  policy: ReadPolicy
  /**
   * Returns a list computed from the records, cached until the records change. The cache key consists of `name` and the policies
   * that `compute` reads, so `name` must contain every other dependency.
   */
  derive: <Item>(name: string, compute: () => readonly Item[]) => readonly Item[]
}

/** True for GET and HEAD, the only methods that the API accepts. */
export function hasReadMethod({ method }: Pick<ApiRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Headers in which other APIs expect a token. This API ignores them, but a review reports a client that sends one of them. */
export const TOKEN_HEADERS = [
  'api-key',
  'apikey',
  'token',
  'x-access-token',
  'x-api-key',
  'x-auth-token',
] as const

/** Header of all requests from the console, to distinguish them from those of clients. */
export const CONSOLE_HEADER = 'x-sandbox-console'

/** Request headers that are read for the response, the journal, the session or the review. */
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
 * Returns the value of a header, with repeated headers joined by a comma; undefined if it is missing. `name` must be lower-case.
 *
 * @param headers Alternating names and values, as they were sent.
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
