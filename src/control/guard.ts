import { isLoopback } from '../contract/addresses.ts'
import { errorAnswer } from './routes/route.ts'
import type { ControlAnswer } from './routes/route.ts'

/** What decides whether the control API is open to a request. */
export interface Visitor {
  /** The address that the server listens on. */
  listensOn: string
  /** The `Origin` header: the page that sent the request; undefined for any other program. */
  origin: string | undefined
  /** The `Host` header. */
  host: string | undefined
}

/**
 * Why the control API is closed to a request; undefined where it is open. On a loopback address it is
 * open to programs and to its own pages, on any other address to nobody. A page of another site whose
 * name was made to lead here (DNS rebinding) still names its site in `Host`.
 */
export function guardControl({ listensOn, origin, host }: Visitor): ControlAnswer | undefined {
  if (!isLoopback(listensOn)) {
    return errorAnswer(
      403,
      'control_closed',
      `The control API is closed on ${listensOn}. Serve on a loopback address like 127.0.0.1 to use it.`,
    )
  }
  const isForeignHost = host !== undefined && !isLoopback(hostName(host))
  const isForeignPage = origin !== undefined && origin !== `http://${host}`
  if (!isForeignHost && !isForeignPage) return undefined
  return errorAnswer(403, 'foreign_origin', 'The control API is closed to pages of other sites.')
}

/** The name or address in a `Host` header, without port and brackets. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}
