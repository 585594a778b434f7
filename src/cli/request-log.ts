import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { Sandbox } from '../sandbox.ts'
import type { colorsFor } from './colors.ts'

/** A request as the log shows it: the token by its name, its value nowhere. */
export interface LoggedRequest {
  method: string
  target: string
  status: number
  /** The token's name; null where it is unknown. */
  token: string | null
}

export function toLoggedRequest(
  { method, path, query }: ApiRequest,
  { status, caller }: ApiResponse,
  { world }: Sandbox,
): LoggedRequest {
  const bearers = world.records.all('tokens').map(({ token }) => token)
  const target = redact(query === '' ? path : `${path}?${query}`, bearers)
  return { method, target, status, token: caller ?? null }
}

const REDACTED = '[token]'
const CONTROL_CHARACTERS = /\p{Cc}/gu

/** Without bearer values, as they are or percent-encoded, and without what could steer a terminal. */
function redact(target: string, bearers: readonly string[]): string {
  let text = target
  for (const bearer of bearers) {
    text = text.replaceAll(bearer, REDACTED).replaceAll(encodeURIComponent(bearer), REDACTED)
  }
  return text.replaceAll(CONTROL_CHARACTERS, '?')
}

/** A line of the log for people. */
export function formatRequest(
  { method, target, status, token }: LoggedRequest,
  { green, yellow, dim }: ReturnType<typeof colorsFor>,
): string {
  const color = status < 400 ? green : yellow
  return `${color(String(status))} ${method} ${target}  ${dim(token ?? 'no known token')}`
}
