import type { Answer } from '../adapters/node.ts'
import type { ApiRequest } from '../engine/messages.ts'
import { withoutControls } from '../contract/describe.ts'
import { escapeRegExp } from '../contract/regular-expression.ts'
import type { Sandbox } from '../sandbox.ts'
import type { colorsFor } from './colors.ts'

/** A request as the log shows it: the token by its name, its value nowhere. */
export interface LoggedRequest {
  method: string
  target: string
  status: number
  /** The token's name; null where it is unknown. */
  token: string | null
  /** Whether a handler of the user's own answered. */
  override?: true
}

export function toLoggedRequest(
  { method, path, query }: ApiRequest,
  { status, caller, isOverride }: Answer,
  { world }: Sandbox,
): LoggedRequest {
  const bearers = world.records.all('tokens').map(({ token }) => token)
  const target = redact(query === '' ? path : `${path}?${query}`, bearers)
  return { method, target, status, token: caller ?? null, ...(isOverride && { override: true }) }
}

const REDACTED = '[token]'

/** From this length on a bearer value is no syllable of something else. */
const LONG = 8

/** A target without bearer values, however they are percent-encoded; as it was sent where it has none. */
function redact(target: string, bearers: readonly string[]): string {
  const decoded = decode(target)
  const found = bearers.filter((bearer) => decoded.includes(bearer))
  const longestFirst = found.toSorted((one, other) => other.length - one.length)
  const redacted = longestFirst.reduce(withoutBearer, decoded)
  return withoutControls(redacted === decoded ? target : redacted)
}

/** A short value is redacted only where it stands by itself. */
function withoutBearer(text: string, bearer: string): string {
  if (bearer.length >= LONG) return text.replaceAll(bearer, REDACTED)
  const literal = escapeRegExp(bearer)
  return text.replaceAll(new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, 'g'), REDACTED)
}

/** Percent-decoded as far as it can be. */
function decode(text: string): string {
  return text.replaceAll(/(?:%[\dA-F]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch (error) {
      if (error instanceof URIError) return encoded
      throw error
    }
  })
}

/** A line of the log for people. */
export function formatRequest(
  { method, target, status, token, override }: LoggedRequest,
  { green, yellow, dim }: ReturnType<typeof colorsFor>,
): string {
  const color = status < 400 ? green : yellow
  const by = override ? 'a handler of yours' : (token ?? 'no known token')
  return `${color(String(status))} ${method} ${target}  ${dim(withoutControls(by))}`
}
