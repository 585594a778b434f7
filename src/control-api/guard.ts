import { isLoopback } from '../contract/addresses.ts'
import { errorAnswer } from './control-error.ts'
import type { ControlAnswer } from './routes/route.ts'

/** What decides whether the control API is open to a request. */
export interface Requester {
  /** The address that the server listens on. */
  listensOn: string
  /** Whether there is an admin key. */
  hasKey: boolean
  /** The key that the request shows; undefined for none, or where there is no key to be shown. */
  shown: 'right' | 'wrong' | undefined
  /** The `Origin` header: the page that sent the request; undefined for any other program. */
  origin: string | undefined
  /** The `Host` header. */
  host: string | undefined
  /** Whether a proxy passed it on, so that its sender may be on another machine. */
  isForwarded: boolean
}

/**
 * Why the control API is closed to a request; undefined where it is open: to the admin key, and without
 * one to programs and pages of this machine. Never to pages of other sites, not even with the key.
 */
export function guardControl(visitor: Requester): ControlAnswer | undefined {
  if (isForeignPage(visitor)) return FOREIGN_PAGE
  if (visitor.shown === 'wrong') return unauthorized('This is not the admin key.')
  if (visitor.shown === 'right' || isLocal(visitor)) return undefined
  if (visitor.hasKey) return unauthorized('The control API is closed here without the admin key.')
  return visitor.isForwarded ? FORWARDED : FOREIGN_HOST
}

const FOREIGN_PAGE = errorAnswer(
  403,
  'foreign_origin',
  'The control API is closed to pages of other sites.',
)

const FOREIGN_HOST = errorAnswer(
  403,
  'foreign_host',
  'The Host header names another machine, and the control API is closed to pages whose name was made to lead here. Send the request to localhost or 127.0.0.1, or start the server with --admin-key and show the key.',
)

const FORWARDED = errorAnswer(
  403,
  'control_closed',
  'The control API is closed to requests that come through a proxy. Start the server with --admin-key to open it to those that show the key.',
)

function unauthorized(reason: string): ControlAnswer {
  return errorAnswer(401, 'admin_key_required', `${reason} Send it as Authorization: Bearer KEY.`)
}

/** Whether a page of another site sent it. Where TLS ends at a proxy, the scheme is not known here. */
function isForeignPage({ origin, host }: Requester): boolean {
  if (origin === undefined) return false
  const own = host?.toLowerCase()
  return ![`http://${own}`, `https://${own}`].includes(origin.toLowerCase())
}

/**
 * Whether it comes from this machine, and not from a page of another site whose name was made to lead
 * here (DNS rebinding), which still names its site in `Host`.
 */
function isLocal({ listensOn, host, isForwarded }: Requester): boolean {
  return isLoopback(listensOn) && !isForwarded && (host === undefined || isLoopback(hostName(host)))
}

/** The name or address in a `Host` header, without port, brackets and the dot of a root, and in one case. */
function hostName(host: string): string {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return name.replace(/\.$/, '').toLowerCase()
}
