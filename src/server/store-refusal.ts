import type { ApiResponse } from '../engine/messages.ts'
import { jsonContent, JSON_TYPE } from '../engine/responses.ts'
import type { StoreError, StoreErrorCode } from '../store/store-error.ts'

/** Says that the host has refused a request, and why, so that nobody takes its response for the API's. */
export const LIMITED_HEADER = 'X-Sandbox-Limited'

/** When it is worth sending the request again, in seconds. */
const RETRY_SECONDS = {
  store_unavailable: 1,
  store_refused: 1,
  fate_unknown: 1,
  too_busy: 1,
  world_unavailable: 60,
} as const satisfies Record<StoreErrorCode, number>

export function refusalHeaders({ code }: StoreError): Record<string, string> {
  return { 'Retry-After': String(RETRY_SECONDS[code]), [LIMITED_HEADER]: 'store' }
}

/** The response to a request of the API for which the store is missing. */
export function toRefusedResponse(error: StoreError): ApiResponse {
  return {
    status: 503,
    headers: { 'Content-Type': JSON_TYPE, ...refusalHeaders(error) },
    body: jsonContent({ message: error.message }).bytes,
    caller: undefined,
  }
}
