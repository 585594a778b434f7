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
 * reads like is worked out when it is read. It is flat, and made without spreads, because it is made with
 * every answer.
 */
export interface RecordedRequest
  extends
    Omit<ApiRequest, 'header'>,
    Omit<Answered, 'request' | 'response'>,
    Omit<ApiResponse, 'headers' | 'body' | 'caller'> {
  /** Its place among all requests and commands of its world. */
  sequence: number
  authorization: string | undefined
  accept: string | undefined
  responseHeaders: ApiResponse['headers']
  bodyBytes: number
  bodyDigest: number
}

export function recordRequest(answered: Answered, sequence: number): RecordedRequest {
  const { request, response } = answered
  return {
    sequence,
    atMs: answered.atMs,
    worldMs: answered.worldMs,
    rateMs: answered.rateMs,
    durationMs: answered.durationMs,
    method: request.method,
    path: request.path,
    query: request.query,
    clientIp: request.clientIp,
    origin: request.origin,
    authorization: request.header('authorization'),
    accept: request.header('accept'),
    visit: answered.visit,
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

const NONE: readonly never[] = []
