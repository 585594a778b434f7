import type { ApiResponse } from '../engine/messages.ts'
import { jsonContent, JSON_TYPE } from '../engine/responses.ts'
import type { StoreError, StoreErrorCode } from '../store/store-error.ts'

/** Header with the source of a refusal, `host` or `store`, to distinguish it from a refusal by the API. */
export const LIMITED_HEADER = 'X-Sandbox-Limited'

interface Refusal {
  status: number
  limitedBy: 'store' | 'host'
  /** Value of Retry-After, in seconds. If omitted, the `waitSeconds` of the error; no header if that is undefined too. */
  retrySeconds?: number
}

const LATER = { status: 503, limitedBy: 'store', retrySeconds: 1 } as const

const REFUSALS: Record<StoreErrorCode, Refusal> = {
  store_unavailable: LATER,
  store_refused: LATER,
  fate_unknown: LATER,
  too_busy: LATER,
  world_unavailable: { ...LATER, retrySeconds: 60 },
  world_damaged: { ...LATER, retrySeconds: 60 },
  too_many_requests: { status: 429, limitedBy: 'host', retrySeconds: 1 },
  too_many_costly: { status: 429, limitedBy: 'host' },
  expired: { status: 401, limitedBy: 'host' },
}

export function refusalStatus({ code }: StoreError): number {
  return REFUSALS[code].status
}

export function refusalHeaders({ code, waitSeconds }: StoreError): Record<string, string> {
  const { limitedBy, retrySeconds = waitSeconds } = REFUSALS[code]
  const retry = retrySeconds === undefined ? {} : { 'Retry-After': String(retrySeconds) }
  return { ...retry, [LIMITED_HEADER]: limitedBy }
}

/** Returns the response to a request of the API that the host or its store has refused. */
export function toRefusedResponse(error: StoreError): ApiResponse {
  return {
    status: refusalStatus(error),
    headers: { 'Content-Type': JSON_TYPE, ...refusalHeaders(error) },
    body: jsonContent({ message: error.message }).bytes,
    caller: undefined,
  }
}
