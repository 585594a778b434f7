import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { withoutControls } from '../fixtures/fixture-error.ts'
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

/** Without bearer values, however they are percent-encoded, and without what could steer a terminal. */
function redact(target: string, bearers: readonly string[]): string {
  const longestFirst = bearers.toSorted((one, other) => other.length - one.length)
  const patterns = longestFirst.map(toPattern)
  const redacted =
    patterns.length === 0
      ? target
      : target.replaceAll(new RegExp(patterns.join('|'), 'g'), REDACTED)
  return withoutControls(redacted)
}

const SHORT = 8

/** A pattern for a bearer value: a short one only as a whole part of the target, for it may be a syllable. */
function toPattern(bearer: string): string {
  const pattern = Array.from(bearer, encodingsOf).join('')
  return bearer.length < SHORT ? `(?<=[/=])${pattern}(?=[/?&]|$)` : pattern
}

/** A pattern for a character of a bearer value (visible ASCII), as it is or percent-encoded. */
function encodingsOf(character: string): string {
  const literal = character.replace(/[\\^$.*+?()[\]{}|/-]/, String.raw`\$&`)
  const hex = character.charCodeAt(0).toString(16)
  return `(?:%${hex}|%${hex.toUpperCase()}|${literal})`
}

/** A line of the log for people. */
export function formatRequest(
  { method, target, status, token }: LoggedRequest,
  { green, yellow, dim }: ReturnType<typeof colorsFor>,
): string {
  const color = status < 400 ? green : yellow
  return `${color(String(status))} ${method} ${target}  ${dim(withoutControls(token ?? 'no known token'))}`
}
