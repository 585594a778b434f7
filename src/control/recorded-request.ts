import type { OperationId } from '../contract/operations.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { Visit } from '../engine/engine.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
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

/**
 * What is written down of a request when it is answered, for the journal and for the session alike; what it
 * reads like is worked out when it is read. It is made with every answer, and thousands are kept: so it is
 * flat, of few objects and small whole numbers, and shares texts with the request before it.
 */
export interface RecordedRequest
  extends Omit<ApiRequest, 'header'>, Omit<ApiResponse, 'headers' | 'body' | 'caller'> {
  /** Its place among all requests and commands of its world. */
  sequence: number
  atMs: number
  /** How far the world clock and the rate clock were from the machine's. */
  worldOffsetMs: number
  rateOffsetMs: number
  durationMicros: number
  operation: OperationId | undefined
  /** The project that the path names; null where it names none. */
  project: number | null
  token: TokenRecord | undefined
  authorization: string | undefined
  accept: string | undefined
  responseHeaders: ApiResponse['headers']
  bodyBytes: number
  bodyDigest: number
}

const NONE: readonly never[] = []

/** `before` is the request that was written down before this one. */
export function recordRequest(
  answered: Answered,
  sequence: number,
  before: RecordedRequest | undefined,
): RecordedRequest {
  const { request, visit, response, atMs } = answered
  const { route, token } = visit
  return {
    sequence,
    atMs,
    worldOffsetMs: answered.worldMs - atMs,
    rateOffsetMs: answered.rateMs - atMs,
    durationMicros: Math.round(answered.durationMs * 1000),
    method: request.method,
    path: request.path,
    query: request.query,
    clientIp: sameText(request.clientIp, before?.clientIp),
    origin: sameText(request.origin, before?.origin),
    authorization: sameText(visit.authorization, before?.authorization),
    accept: sameText(request.header('accept'), before?.accept),
    operation: route?.operation,
    project: route?.project ?? null,
    token,
    status: response.status,
    responseHeaders: response.headers,
    problem: response.problem,
    exhausted: response.exhausted ?? NONE,
    policies: response.policies ?? NONE,
    faults: response.faults ?? NONE,
    wire: response.wire,
    bodyBytes: response.body.byteLength,
    bodyDigest: digest(response.body),
  }
}

/** A text that is the same as another one is kept once. */
function sameText<Text extends string | undefined>(text: Text, other: Text | undefined): Text {
  return text === other ? (other as Text) : text
}
