import { isLocalHost, isLoopback } from '../contract/addresses.ts'
import { errorResponse } from './control-error.ts'
import type { ControlResponse, ControlRole } from './routes/route.ts'

/** Properties of a request that decide if it may use the control API. */
export interface Requester {
  /** The address of the server that its connection reached; undefined if it has none, as over a Unix socket. */
  reached: string | undefined
  /** True if the route needs no key, because the request shows an invitation. */
  isInvited: boolean
  /** True if there is an admin key. */
  hasKey: boolean
  /** `right` for the admin key or the key of a world. Undefined without a key, and for any other key if no admin key is set. */
  shown: 'right' | 'wrong' | undefined
  /** The `Origin` header, which browsers send: the origin of the page; undefined if there is none. */
  origin: string | undefined
  /** The host in the `Host` header, or in a target in absolute form; undefined if there is neither. */
  host: string | undefined
  /** The `Sec-Fetch-Site` header, which browsers send: the page's relation to the server; undefined if there is none. */
  site: string | undefined
  /** True if a proxy passed it on, so that its sender may be on another machine. */
  isForwarded: boolean
}

/**
 * Returns the reason why a request may not use the control API; undefined if it may: with a key or, if no admin key is set and
 * the request came to a loopback address, from a program on this machine or a page of the server itself. Pages of other sites
 * never may, even with a key.
 */
export function guardControl(requester: Requester): ControlResponse | undefined {
  if (isForeignPage(requester)) return FOREIGN_PAGE
  if (requester.isInvited) return undefined
  if (requester.shown === 'wrong')
    return keyRequired('This is not the admin key, nor the key of a world.')
  if (requester.shown === 'right') return undefined
  if (requester.hasKey) return keyRequired('The control API is closed here without the admin key.')
  if (requester.isForwarded) return FORWARDED
  if (!isLoopback(requester.reached ?? '')) return OTHER_MACHINE
  return isForeignHost(requester) ? FOREIGN_HOST : undefined
}

/**
 * Returns the reason why the holder of a world's key may not use a route; undefined if they may. The response is the same
 * whether or not such a world exists.
 */
export function guardWorld(
  role: ControlRole,
  { own, named }: { own: string; named: string | undefined },
): ControlResponse | undefined {
  if (role === 'admin') return ADMIN_ONLY
  return named === undefined || named === own ? undefined : OTHER_WORLD
}

/** The response to the key of a world that has expired. */
export const EXPIRED = unauthorized(
  'world_expired',
  'The world of this key has expired. Ask the person who invited you to renew it: it continues as it was.',
)

const ADMIN_ONLY = errorResponse(
  403,
  'admin_only',
  'The key of a world opens neither the server nor other worlds.',
)

const OTHER_WORLD = errorResponse(
  403,
  'other_world',
  'The key of a world opens that world alone. Leave out ?world=, or name the world of the key.',
)

/** Returns the response to one wrong key too many from an address. */
export function tooManyKeys(waitSeconds: number): ControlResponse {
  const message = `Too many wrong keys came from this address. Wait for ${waitSeconds} s, or send the right one, which is always accepted.`
  return retryAfter(waitSeconds, errorResponse(429, 'too_many_wrong_keys', message))
}

/** Returns the response to one request too many from an address that its key does not open. */
export function tooManyRefused(waitSeconds: number): ControlResponse {
  const message = `Too many requests from this address were refused for their keys. Wait for ${waitSeconds} s. Requests that a key opens are always answered.`
  return retryAfter(waitSeconds, errorResponse(429, 'too_many_refused', message))
}

const FOREIGN_PAGE = errorResponse(
  403,
  'foreign_origin',
  'The control API is closed to pages of other sites.',
)

const FOREIGN_HOST = errorResponse(
  403,
  'foreign_host',
  'The Host header names another machine, and the control API is closed to pages whose name resolves to this machine by DNS rebinding. Send the request to localhost or 127.0.0.1, or start the server with --admin-key and show the key.',
)

const OTHER_MACHINE = errorResponse(
  403,
  'control_closed',
  'The control API is open to programs of this machine alone. Set an admin key to open it to those that show the key.',
)

const FORWARDED = errorResponse(
  403,
  'control_closed',
  'The control API is closed to requests that come through a proxy. Start the server with --admin-key to open it to those that show the key.',
)

function keyRequired(reason: string): ControlResponse {
  return unauthorized('admin_key_required', `${reason} Send it as Authorization: Bearer KEY.`)
}

function unauthorized(code: string, message: string): ControlResponse {
  return { ...errorResponse(401, code, message), headers: { 'WWW-Authenticate': 'Bearer' } }
}

function retryAfter(seconds: number, response: ControlResponse): ControlResponse {
  return { ...response, headers: { 'Retry-After': String(seconds) } }
}

/** True if a page of another site sent the request. Behind a proxy that terminates TLS the scheme is unknown. */
function isForeignPage({ origin, host, site }: Requester): boolean {
  if (site === 'cross-site' || site === 'same-site') return true
  if (origin === undefined) return false
  const own = host?.toLowerCase()
  return ![`http://${own}`, `https://${own}`].includes(origin.toLowerCase())
}

/**
 * True if the request names another machine, although it comes from this one: a page of another site whose name resolves to
 * this machine (DNS rebinding) still sends its own name in `Host`.
 */
function isForeignHost({ host }: Requester): boolean {
  return host !== undefined && !isLocalHost(host)
}
