import { isLocalHost, isLoopback } from '../contract/addresses.ts'
import { errorResponse } from './control-error.ts'
import type { ControlResponse, ControlRole } from './routes/route.ts'

export interface Requester {
  /** Local address of the connection; undefined if the connection has none, as over a Unix socket. */
  localAddress: string | undefined
  /** True if the route needs the code of an invitation, in the body, instead of a key. */
  isInvited: boolean
  /** True if an admin key is set. */
  hasKey: boolean
  /**
   * `right` for the admin key or the key of a world, `wrong` for any other key; undefined without a key. If no admin key is set,
   * also undefined for a key that cannot be that of a world.
   */
  shown: 'right' | 'wrong' | undefined
  /** The `Origin` header, which browsers send; undefined without one. */
  origin: string | undefined
  /** The host in an absolute request target, unless it is this machine; otherwise the `Host` header. Undefined without either. */
  host: string | undefined
  /**
   * The `Sec-Fetch-Site` header, in which browsers state the relation of the requesting page to the server; undefined without
   * one.
   */
  site: string | undefined
  /** True if a proxy forwarded the request, so that its sender may be on another machine. */
  isForwarded: boolean
}

/**
 * Returns the refusal of a request to the control API; undefined if the request is admitted. Pages of other sites are refused
 * even with a key. Any other request needs a key, or the code of an invitation. If no admin key is set, a request to a loopback
 * address from a program on this machine needs neither.
 */
export function guardControl(requester: Requester): ControlResponse | undefined {
  if (isForeignPage(requester)) return FOREIGN_PAGE
  if (requester.isInvited) return undefined
  if (requester.shown === 'wrong')
    return keyRequired(
      'This is neither the admin key nor the key of a world, or it was revoked: ask whoever gave it to you for another.',
    )
  if (requester.shown === 'right') return undefined
  if (requester.hasKey) return keyRequired('The control API is closed here without the admin key.')
  if (requester.isForwarded) return FORWARDED
  if (!isLoopback(requester.localAddress ?? '')) return OTHER_MACHINE
  return isForeignHost(requester) ? FOREIGN_HOST : undefined
}

/**
 * Returns the refusal of a request with the key of the world `own`; undefined if the request may use the route. `named` is the
 * world in the query. The refusal does not reveal the existence of other worlds.
 */
export function guardWorld(
  role: ControlRole,
  { own, named }: { own: string; named: string | undefined },
): ControlResponse | undefined {
  if (role === 'admin') return ADMIN_ONLY
  return named === undefined || named === own ? undefined : OTHER_WORLD
}

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

/** Returns the response to a wrong key from an address that must wait `waitSeconds` because of earlier refusals. */
export function tooManyKeys(waitSeconds: number): ControlResponse {
  const message = `Too many wrong keys came from this address. Wait for ${waitSeconds} s, or send the right one, which is always accepted.`
  return retryAfter(waitSeconds, errorResponse(429, 'too_many_wrong_keys', message))
}

/**
 * Returns the response to a key that has expired, or does not permit the request, from an address that must wait `waitSeconds`
 * because of earlier refusals.
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
 * True if a page of another site sent the request. The page's own scheme may be http or https, because the scheme of the
 * request is unknown behind a proxy that terminates TLS.
 */
function isForeignPage({ origin, host, site }: Requester): boolean {
  if (site === 'cross-site' || site === 'same-site') return true
  if (origin === undefined) return false
  const own = host?.toLowerCase()
  return ![`http://${own}`, `https://${own}`].includes(origin.toLowerCase())
}

/**
 * True if the `Host` header of a request names another machine. With DNS rebinding, the name of another site resolves to this
 * machine, but pages of that site still send the name in `Host`.
 */
function isForeignHost({ host }: Requester): boolean {
  return host !== undefined && !isLocalHost(host)
}
