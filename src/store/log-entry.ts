import type { ApiRequest } from '../engine/messages.ts'
import { headerIn, READ_HEADERS, TOKEN_HEADERS } from '../engine/messages.ts'
import type { LoggedEnd } from '../journal/recorded-request.ts'
import type { Change } from '../world/change.ts'
import { withoutKeys } from './world-key.ts'

/**
 * What was sent to a world, as plain JSON: anything that changes it, how a response
 * ended, or what makes the review of a version begin again.
 */
export type LogEntry =
  | { request: LoggedRequest }
  | LoggedChange
  | { end: LoggedEnd }
  | { review: number }

/** A request without what is computed from it. */
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
  /** For fixtures or a scenario that it loads: the seed, and the names of the files. */
  loads?: { seed: string; files?: readonly string[] | undefined }
  /** The snapshot that it restores. */
  restores?: string
}

/**
 * The headers that an entry keeps: those that are read, and those that show in the journal which client it was and what its
 * browser asked beforehand. All others are dropped: proxies, browsers and tracing libraries add headers that no list could
 * foresee, many of them different in each request; and cookies and keys for other systems have no place in a store and its
 * backups.
 */
export const LOGGED_HEADERS: ReadonlySet<string> = new Set([
  ...READ_HEADERS,
  'access-control-request-headers',
  'access-control-request-method',
  'host',
  'user-agent',
])

/**
 * A request as it is logged, without keys and codes that its client sends by mistake. The server that received it applies this
 * form too, so that the journals of all servers agree.
 */
export function toLoggedRequest(request: ApiRequest): LoggedRequest {
  const { method, path, query, clientIp, origin, headers = [] } = request
  const logged: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const lower = name.toLowerCase()
    if (isTokenHeader(lower)) {
      // It may be a key for another system; that it was sent instead of a token is all that a review says.
      if (request.header('authorization') === undefined) logged.push(name, '')
    } else if (LOGGED_HEADERS.has(lower)) logged.push(name, withoutKeys(headers[at + 1] ?? ''))
  }
  const [target, parameters] = [withoutKeys(path), withoutKeys(query)]
  return [method, target, parameters, clientIp, withoutKeys(origin), logged]
}

function isTokenHeader(name: string): boolean {
  return TOKEN_HEADERS.some((one) => one === name)
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
