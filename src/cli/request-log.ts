import type { Answer } from '../adapters/node.ts'
import type { ApiRequest } from '../engine/messages.ts'
import { withoutControls } from '../contract/describe.ts'
import type { RunningServer } from '../server/serve-host.ts'
import type { colorsFor } from './colors.ts'

/** A request in the log: with the name of the token, never its value. */
export interface LoggedRequest {
  method: string
  target: string
  status: number
  /** The token's name; null if it is unknown. */
  token: string | null
  /** Whether one of the user's own handlers responded. */
  override?: true
}

export function toLoggedRequest(
  request: ApiRequest,
  { status, caller, isOverride }: Answer,
  worldOf: RunningServer['worldOf'],
): LoggedRequest {
  const { method, path, query } = request
  const sent = query === '' ? path : `${path}?${query}`
  // Without its world it is not known what is secret.
  const target = worldOf(request)?.journal.redact(sent) ?? path
  return { method, target, status, token: caller ?? null, ...(isOverride && { override: true }) }
}

/** A line of the plain-text log. */
export function formatRequest(
  { method, target, status, token, override }: LoggedRequest,
  { green, yellow, dim }: ReturnType<typeof colorsFor>,
): string {
  const color = status < 400 ? green : yellow
  const by = override ? 'your handler' : (token ?? 'no known token')
  return `${color(String(status))} ${method} ${target}  ${dim(withoutControls(by))}`
}
