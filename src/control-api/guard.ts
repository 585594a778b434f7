import { isLocalHost, isLoopback } from '../contract/addresses.ts'
import { errorResponse } from './control-error.ts'
import type { ControlResponse, ControlRole } from './routes/route.ts'

/** Properties of a request that determine if it may use the control API. */
export interface Requester {
  /** The local address of the connection; undefined if it has none, as over a Unix socket. */
  reached: string | undefined
  /** True if the route needs no key, because the request contains the code of an invitation. */
  isInvited: boolean
  /** True if an admin key is set. */
  hasKey: boolean
  /**
   * `right` for the admin key or the key of a world. Undefined without a key, and for any other text if no admin key is
   * set.
   */
  shown: 'right' | 'wrong' | undefined
  /** The `Origin` header, which browsers send; undefined without one. */
  origin: string | undefined
  /** The host in the `Host` header, or in a target in absolute form; undefined without either. */
  host: string | undefined
  /** The `Sec-Fetch-Site` header, in which browsers state the page's relation to the server; undefined without one. */
  site: string | undefined
  /** True if a proxy forwarded the request, so that its sender may be on another machine. */
  isForwarded: boolean
}

/**
 * Returns the reason why a request may not use the control API; undefined if it may. It may with a key or, if no admin
 * key is set and it reached a loopback address, from a program on this machine or a page of the server itself. Pages of
 * other sites never may, even with a key.
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
 * Returns the reason why a request with the key of a world may not use a route; undefined if it may. The response does
 * not reveal which other worlds exist.
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

/** Returns the response to a wrong key from an address that has already sent too many. */
export function tooManyKeys(waitSeconds: number): ControlResponse {
  const message = `Too many wrong keys came from this address. Wait for ${waitSeconds} s, or send the right one, which is always accepted.`
  return retryAfter(waitSeconds, errorResponse(429, 'too_many_wrong_keys', message))
}

/**
 * Returns the response to a request that its key does not permit, from an address that has sent too many such requests.
 */
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

/**
 * True if a page of another site sent the request. Accepts both schemes, because the scheme is unknown behind a proxy
 * that terminates TLS.
 */
function isForeignPage({ origin, host, site }: Requester): boolean {
  if (site === 'cross-site' || site === 'same-site') return true
  if (origin === undefined) return false
  const own = host?.toLowerCase()
  return ![`http://${own}`, `https://${own}`].includes(origin.toLowerCase())
}

/**
 * True if a request on this machine names another one. With DNS rebinding, the name of another site resolves to this
 * machine, but its pages still send that name in `Host`.
 */
function isForeignHost({ host }: Requester): boolean {
  return host !== undefined && !isLocalHost(host)
}
