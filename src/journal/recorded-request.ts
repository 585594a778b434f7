import type { PolicyName } from '../contract/policies.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { OperationId } from '../contract/routes.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { WireFault } from '../contract/wire-fault.ts'
import type { RequestContext } from '../engine/engine.ts'
import { CONSOLE_HEADER, TOKEN_HEADERS } from '../engine/messages.ts'
import type { ApiRequest, ApiResponse, Shown } from '../engine/messages.ts'
import type { WindowName } from '../engine/rate-windows.ts'
import { contentDigest, digest } from './digest.ts'

/** The headers of a request as the journal keeps them. */
export interface RequestHeaders {
  /** Alternating names and values, as sent; undefined if only the headers in `Sender` are known. */
  readonly raw: readonly string[] | undefined
  /** Number of headers that were dropped to stay within `MAXIMUM_HEADERS`. */
  readonly omitted: number
}

/** Maximum length of all names and values of the kept headers of a request, in characters. */
export const MAXIMUM_HEADERS = 4096

const NO_HEADERS: RequestHeaders = { raw: undefined, omitted: 0 }

/** True if the headers equal those of the previous request, as they usually do for one client. */
function isSameHeaders(raw: readonly string[] | undefined, before: RequestHeaders['raw']): boolean {
  if (raw === undefined || before === undefined) return raw === before
  if (raw.length !== before.length) return false
  // Starts at the end, where clients put headers that only some requests have.
  for (let at = raw.length - 1; at >= 0; at -= 1) if (raw[at] !== before[at]) return false
  return true
}

/** Returns the headers of a request, without those that exceed `MAXIMUM_HEADERS`. */
export function keepHeaders(raw: readonly string[] | undefined): RequestHeaders {
  if (raw === undefined) return NO_HEADERS
  if (lengthOf(raw) <= MAXIMUM_HEADERS) return { raw, omitted: 0 }
  const kept: string[] = []
  let length = 0
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    if (length + name.length + value.length > MAXIMUM_HEADERS) continue
    length += name.length + value.length
    kept.push(name, value)
  }
  return { raw: kept, omitted: (raw.length - kept.length) / 2 }
}

function lengthOf(texts: readonly string[]): number {
  let length = 0
  for (const text of texts) length += text.length
  return length
}

export interface AnsweredRequest {
  request: ApiRequest
  context: RequestContext
  response: ApiResponse
  /** Time of arrival by the machine's clock, in epoch milliseconds. */
  atMs: number
  /** Time of arrival by the world clock, in epoch milliseconds. */
  worldMs: number
  /** Time of arrival by the rate clock, in epoch milliseconds. */
  rateMs: number
  /** Time to produce the response, in milliseconds; null if not measured. */
  durationMs: number | null
  /**
   * The end of the response, as recorded in a replayed session. Null if the end is still to be observed. Undefined if it never will
   * be; the response then counts as ended when the request arrived.
   */
  responseEnd?: ResponseEnd | null | undefined
}

/** The end of a response: the last byte was sent, or the client disconnected before. */
export interface ResponseEnd {
  /** The sequence of the last journal entry before the end. */
  after: number
  /** Time of the end by the rate clock, in epoch milliseconds. */
  rateMs: number
  /** True if the client disconnected, or aborted the request, before the last byte; false if omitted. */
  isAborted?: boolean
}

/** Number of later requests and commands after which a review no longer waits for the end of a response, but counts it as sent. */
export const MAXIMUM_AWAITED = 250

export interface Target {
  readonly path: string
  /** Undefined for a path without an operation. */
  readonly operation?: OperationId
  /** The project in the path; null if the path has none. */
  readonly project: number | null
}

/** The sender of a request, and properties of the message that rarely change between the sender's requests. */
export interface Sender {
  readonly method: string
  readonly clientIp: string
  readonly origin: string
  readonly authorization: string | undefined
  readonly accept: string | undefined
  /** The Origin header, which browsers send; undefined without one. */
  readonly pageOrigin?: string | undefined
  readonly range?: string | undefined
  /**
   * Name, in lower case, of the header that has a token in place of Authorization; undefined if there is no such header, or if the
   * request has Authorization.
   */
  readonly tokenHeader?: string | undefined
  /** True if the console sent the request; undefined if a client did. */
  readonly fromConsole?: true | undefined
  readonly token: Pick<TokenRecord, 'id' | 'name'> | undefined
  readonly headers: RequestHeaders
}

export interface Head {
  readonly status: number
  readonly headers: ApiResponse['headers']
  readonly problem: ProblemCode | undefined
  readonly rule: string | undefined
  readonly exhausted: readonly WindowName[]
  readonly faults: readonly number[]
  /** Faults that only delayed the response, a subset of `faults`; undefined if there are none. */
  readonly delays?: readonly number[] | undefined
  readonly wire: WireFault | undefined
  /** The seconds in Retry-After; undefined without that header, or if its value is not in seconds. */
  readonly waitSeconds?: number | undefined
}

const NONE: readonly never[] = []

const NO_TARGET: Target = { path: '', project: null }
const NO_SENDER: Sender = {
  method: '',
  clientIp: '',
  origin: '',
  authorization: undefined,
  accept: undefined,
  token: undefined,
  headers: NO_HEADERS,
}
const NO_HEAD: Head = {
  status: 0,
  headers: {},
  problem: undefined,
  rule: undefined,
  exhausted: NONE,
  faults: NONE,
  delays: undefined,
  wire: undefined,
}

/**
 * The record of a request, for the journal and the session. Every response writes a record, and thousands are kept. A record is
 * therefore formatted only when it is read, shares equal parts with the previous record, and is reused when nothing refers to it
 * any more.
 */
export class RecordedRequest {
  /** Number of the request among all requests and commands of its world. */
  sequence = 0
  atMs = 0
  /** Offset of the world clock from the machine's, in milliseconds. */
  worldOffsetMs = 0
  /** Offset of the rate clock from the machine's, in milliseconds. */
  rateOffsetMs = 0
  durationMicros: number | null = 0
  target = NO_TARGET
  query = ''
  sender = NO_SENDER
  head = NO_HEAD
  policies: readonly PolicyName[] = NONE
  bodyBytes = 0
  /** Digest of the body; 0 unless a session keeps the record. */
  bodyDigest = 0
  connection: number | undefined
  /** Number of open connections when the request arrived; 0 if unknown. */
  openConnections = 0
  /**
   * End of the response; null while it is awaited. Undefined if it is not observed, or if its time does not matter: the response
   * then counts as ended when the request arrived.
   */
  responseEnd: ResponseEnd | null | undefined
  /** The part of the body that a review needs. `StoredRequests` has only its reports. */
  shown: Shown | undefined
  /** Digest of a report's content, without `cache_refreshed_at`; 0 for all other bodies. Not in `StoredRequests`. */
  contentDigest = 0

  /** Overwrites this record with a request. `before` is the record of the previous request. */
  write(
    answered: AnsweredRequest,
    {
      sequence,
      before,
      isKept,
    }: {
      sequence: number
      before: RecordedRequest
      isKept: boolean
    },
  ): void {
    const { request, context, response, atMs } = answered
    this.sequence = sequence
    this.atMs = atMs
    this.worldOffsetMs = answered.worldMs - atMs
    this.rateOffsetMs = answered.rateMs - atMs
    const { durationMs } = answered
    this.durationMicros = durationMs === null ? null : Math.round(durationMs * 1000)
    this.target = context.route ?? { path: request.path, project: null }
    // An equal query is shared with the previous record, so that it is in memory only once.
    const { query } = request
    this.query = query === before.query ? before.query : query
    this.sender = senderOf(answered, before.sender)
    this.head = headOf(answered, before.head)
    this.policies = response.policies ?? NONE
    this.bodyBytes = response.body.byteLength
    this.bodyDigest = isKept ? digest(response.body) : 0
    this.connection = request.connection
    this.openConnections = request.connection === undefined ? 0 : (request.openConnections ?? 0)
    this.responseEnd = answered.responseEnd
    this.shown = response.shown
    this.contentDigest =
      response.shown && this.target.operation === 'getReportContent'
        ? contentDigest(response.shown, response.body)
        : 0
  }

  /** Returns a copy, which the journal does not reuse. */
  copy(): RecordedRequest {
    return Object.assign(new RecordedRequest(), this)
  }
}

function senderOf({ request, context }: AnsweredRequest, before: Sender): Sender {
  const { method, clientIp, origin } = request
  const { authorization, token } = context
  const isSame =
    method === before.method &&
    clientIp === before.clientIp &&
    origin === before.origin &&
    token === before.token &&
    authorization === before.authorization &&
    before.headers.omitted === 0 &&
    isSameHeaders(request.headers, before.headers.raw) &&
    // If `headers` is set, the values of these headers were compared above.
    (request.headers !== undefined ||
      (request.header('accept') === before.accept &&
        request.header('origin') === before.pageOrigin &&
        request.header('range') === before.range &&
        tokenHeaderOf(request, authorization) === before.tokenHeader &&
        (request.header(CONSOLE_HEADER) !== undefined) === (before.fromConsole === true)))
  if (isSame) return before
  const headers = keepHeaders(request.headers)
  const accept = request.header('accept')
  const pageOrigin = request.header('origin')
  const range = request.header('range')
  const tokenHeader = tokenHeaderOf(request, authorization)
  return {
    method,
    clientIp,
    origin,
    authorization,
    accept,
    ...(pageOrigin !== undefined && { pageOrigin }),
    ...(range !== undefined && { range }),
    ...(tokenHeader !== undefined && { tokenHeader }),
    ...(request.header(CONSOLE_HEADER) !== undefined && { fromConsole: true }),
    token,
    headers,
  }
}

function tokenHeaderOf(
  request: Pick<ApiRequest, 'header'>,
  authorization: string | undefined,
): string | undefined {
  if (authorization !== undefined) return undefined
  return TOKEN_HEADERS.find((name) => request.header(name) !== undefined)
}

/**
 * Returns the head of a response; `before` if they are equal. Compares objects by identity, because the engine usually returns the
 * same objects for equal parts.
 */
function headOf({ response }: AnsweredRequest, before: Head): Head {
  const { status, headers, problem, rule, exhausted = NONE, faults = NONE, delays, wire } = response
  const isSame =
    status === before.status &&
    headers === before.headers &&
    problem === before.problem &&
    rule === before.rule &&
    exhausted === before.exhausted &&
    faults === before.faults &&
    delays === before.delays &&
    wire === before.wire
  if (isSame) return before
  const { waitSeconds } = response
  return { status, headers, problem, rule, exhausted, faults, delays, wire, waitSeconds }
}
