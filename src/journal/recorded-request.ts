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
  /** Names and values in turn, as they were sent; undefined if only the headers that the API reads are known. */
  readonly raw: readonly string[] | undefined
  /** Number of headers left out, because they would have exceeded `MAXIMUM_HEADERS`. */
  readonly omitted: number
}

/** Maximum length of the headers kept of a request, names and values together, in characters. */
export const MAXIMUM_HEADERS = 4096

const NO_HEADERS: RequestHeaders = { raw: undefined, omitted: 0 }

/** True if a request has the same headers as the one before it, as is usual for requests of the same client. */
function isSameHeaders(raw: readonly string[] | undefined, before: RequestHeaders['raw']): boolean {
  if (raw === undefined || before === undefined) return raw === before
  if (raw.length !== before.length) return false
  // Starts from the end, which has the headers that clients add to some requests only.
  for (let at = raw.length - 1; at >= 0; at -= 1) if (raw[at] !== before[at]) return false
  return true
}

/** Returns the headers of a request, without those that go beyond the limit. */
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

/** A request and its response. */
export interface AnsweredRequest {
  request: ApiRequest
  context: RequestContext
  response: ApiResponse
  /** Time of its arrival: by the machine's clock, the world clock and the rate clock, in epoch milliseconds. */
  atMs: number
  worldMs: number
  rateMs: number
  /** null if it is not measured. */
  durationMs: number | null
  /** null until it is sent; undefined if that is not observed, in which case its arrival counts. */
  responseEnd?: ResponseEnd | null | undefined
}

/** The time at which the last byte of a response was sent, or its client had gone before that. */
export interface ResponseEnd {
  /** The sequence of the last entry of the journal at that time. */
  after: number
  /** By the rate clock, in epoch milliseconds. */
  rateMs: number
  /** True if the client had closed the connection, or aborted the request; false if omitted. */
  isAborted?: boolean
}

/** End of a response in the log of a store: another server may have answered the request. */
export interface LoggedEnd {
  sequence: number
  /** Arrival of the request by the machine's clock, in epoch milliseconds: after a reset, another request has its sequence. */
  arrived_ms: number
  /** The sequence of the last journal entry that its server had applied by then. */
  after: number
  /** By the machine's clock, in epoch milliseconds. */
  ended_ms: number
  /** True if its client had gone before the end. */
  aborted?: true
}

/** After this many further requests and commands a response counts as sent: a review no longer waits for its end. */
export const MAXIMUM_AWAITED = 250

/** Target of a request. */
export interface Target {
  readonly path: string
  /** undefined for a path of no operation. */
  readonly operation?: OperationId
  /** The project in the path; null if it has none. */
  readonly project: number | null
}

/** Sender of a request, and the properties of its message. */
export interface Sender {
  readonly method: string
  readonly clientIp: string
  readonly origin: string
  readonly authorization: string | undefined
  readonly accept: string | undefined
  /** The Origin header, which browsers send; undefined if there is none. */
  readonly pageOrigin?: string | undefined
  readonly range?: string | undefined
  /** The header with a token of a request without Authorization, in lower case; undefined if there is none. */
  readonly tokenHeader?: string | undefined
  /** True if the console sent it, rather than a client. */
  readonly fromConsole?: true | undefined
  readonly token: Pick<TokenRecord, 'id' | 'name'> | undefined
  readonly headers: RequestHeaders
}

/** A response without its body. */
export interface Head {
  readonly status: number
  readonly headers: ApiResponse['headers']
  readonly problem: ProblemCode | undefined
  readonly rule: string | undefined
  readonly exhausted: readonly WindowName[]
  readonly faults: readonly number[]
  /** Faults that only delayed it; undefined if there are none. */
  readonly delays?: readonly number[] | undefined
  readonly wire: WireFault | undefined
  /** The seconds in its Retry-After; undefined if it has no such header. */
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
 * The record of a request in the journal and the session, formatted when it is read. One is written with every response,
 * and thousands are kept: so it is small, shares equal parts with the previous one, and is reused once nothing refers to
 * it.
 */
export class RecordedRequest {
  /** Its place among all requests and commands of its world. */
  sequence = 0
  atMs = 0
  /** Offsets of the world clock and the rate clock from the machine's, in milliseconds. */
  worldOffsetMs = 0
  rateOffsetMs = 0
  durationMicros: number | null = 0
  target = NO_TARGET
  query = ''
  sender = NO_SENDER
  head = NO_HEAD
  policies: readonly PolicyName[] = NONE
  bodyBytes = 0
  /** For sessions; 0 if no session keeps it. */
  bodyDigest = 0
  /** The number of its connection; undefined if unknown. */
  connection: number | undefined
  /** Number of open connections; 0 if unknown. */
  openConnections = 0
  /** End of the response: null until then, undefined if it was sent at once, or if its end is not observed. */
  responseEnd: ResponseEnd | null | undefined
  /** Content of its body; only the reports are saved. */
  shown: Shown | undefined
  /** The digest of the content of a report, without the time of the refresh: for subscribers, and not saved. */
  contentDigest = 0

  /** Records a request; `before` is the record before this one. */
  write(
    answered: AnsweredRequest,
    {
      sequence,
      before,
      isKept,
    }: {
      sequence: number
      before: RecordedRequest
      /** True if a session keeps it. */
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
    // An equal text is shared with the previous record, so that it is in memory once.
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

  /** Returns a copy that is not reused. */
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
    // If all headers are known, these are the same too.
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

/** Headers are compared by identity: the engine returns the same object for the same headers. */
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
