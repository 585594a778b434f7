import type { OperationId } from '../contract/operations.ts'
import type { PolicyName } from '../contract/policies.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { Visit } from '../engine/engine.ts'
import type { ApiRequest, ApiResponse, WireFault } from '../engine/messages.ts'
import type { WindowName } from '../engine/rate-windows.ts'
import { digest } from './digest.ts'

/** A request, and how it was answered. */
export interface Answered {
  request: ApiRequest
  visit: Visit
  response: ApiResponse
  /** When it came: by the machine's clock, the world clock and the rate clock, in epoch milliseconds. */
  atMs: number
  worldMs: number
  rateMs: number
  durationMs: number
}

type Headers = ApiResponse['headers']

const NONE: readonly never[] = []

/**
 * What is written down of a request when it is answered, for the journal and for the session alike; what it
 * reads like is worked out when it is read. One is written with every answer, and thousands are kept: so it is
 * flat, shares what it can with the request before it, and can be written anew once nobody keeps it.
 */
export class RecordedRequest {
  /** Its place among all requests and commands of its world. */
  sequence = 0
  atMs = 0
  /** How far the world clock and the rate clock were from the machine's. */
  worldOffsetMs = 0
  rateOffsetMs = 0
  durationMicros = 0
  method = ''
  path = ''
  query = ''
  clientIp = ''
  origin = ''
  authorization: string | undefined = undefined
  accept: string | undefined = undefined
  operation: OperationId | undefined = undefined
  /** The project that the path names; null where it names none. */
  project: number | null = null
  token: TokenRecord | undefined = undefined
  status = 0
  responseHeaders: Headers = {}
  problem: ProblemCode | undefined = undefined
  exhausted: readonly WindowName[] = NONE
  policies: readonly PolicyName[] = NONE
  faults: readonly number[] = NONE
  wire: WireFault | undefined = undefined
  bodyBytes = 0
  /** For sessions; 0 where none is kept. */
  bodyDigest = 0

  /** Makes it that of a request; `before` is the one that was written down before this one. */
  write(
    answered: Answered,
    {
      sequence,
      before,
      isKept,
    }: {
      sequence: number
      before: RecordedRequest | undefined
      /** Whether a session keeps it. */
      isKept: boolean
    },
  ): void {
    const { request, visit, response, atMs } = answered
    const { route } = visit
    this.sequence = sequence
    this.atMs = atMs
    this.worldOffsetMs = answered.worldMs - atMs
    this.rateOffsetMs = answered.rateMs - atMs
    this.durationMicros = Math.round(answered.durationMs * 1000)
    this.method = request.method
    this.path = route?.path ?? request.path
    this.query = sameText(request.query, before?.query)
    this.clientIp = sameText(request.clientIp, before?.clientIp)
    this.origin = sameText(request.origin, before?.origin)
    this.authorization = sameText(visit.authorization, before?.authorization)
    this.accept = sameText(request.header('accept'), before?.accept)
    this.operation = route?.operation
    this.project = route?.project ?? null
    this.token = visit.token
    this.status = response.status
    this.responseHeaders = sameHeaders(response.headers, before?.responseHeaders)
    this.problem = response.problem
    this.exhausted = response.exhausted ?? NONE
    this.policies = response.policies ?? NONE
    this.faults = response.faults ?? NONE
    this.wire = response.wire
    this.bodyBytes = response.body.byteLength
    this.bodyDigest = isKept ? digest(response.body) : 0
  }
}

/** Headers that are the same as others, as those of a second often are, are kept once. */
function sameHeaders(headers: Headers, others: Headers | undefined): Headers {
  if (!others) return headers
  for (const name in headers) if (headers[name] !== others[name]) return headers
  for (const name in others) if (!(name in headers)) return headers
  return others
}

/** A text that is the same as another one is kept once. */
function sameText<Text extends string | undefined>(text: Text, other: Text | undefined): Text {
  return text === other ? (other as Text) : text
}
