import type { ApiRequest } from '../engine/messages.ts'
import { headerIn } from '../engine/raw-headers.ts'
import type { Change } from '../world/change.ts'

/** What was sent to a world, as plain JSON: whatever changes it, or has the review of a version begin again. */
export type LogEntry = { request: LoggedRequest } | LoggedChange | { review: number }

/** A request without what is computed of it. */
export type LoggedRequest = [
  method: string,
  path: string,
  query: string,
  clientIp: string,
  origin: string,
  headers: readonly string[],
]

/** A change; what it loads is stored once, under its digest. */
export interface LoggedChange {
  change: Change
  /** Of fixtures or a scenario that it loads: the seed, and the names of the files. */
  loads?: { seed: string; files?: readonly string[] | undefined }
  /** The snapshot that it restores. */
  restores?: string
}

export function toLoggedRequest(request: ApiRequest): LoggedRequest {
  const { method, path, query, clientIp, origin, headers = [] } = request
  return [method, path, query, clientIp, origin, headers]
}

export function toApiRequest(logged: LoggedRequest): ApiRequest {
  const [method, path, query, clientIp, origin, headers] = logged
  return {
    method,
    path,
    query,
    clientIp,
    origin,
    headers,
    header: (name) => headerIn(headers, name),
  }
}
