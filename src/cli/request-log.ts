import { randomUUID } from 'node:crypto'
import type { RequestSummary, ResponseSummary } from '../adapters/node.ts'
import { withoutControls } from '../contract/text.ts'
import { withoutIsolatedValues } from '../records/bearer-tokens.ts'
import type { World } from '../world/world.ts'
import type { colorsFor } from './print.ts'

/** A request in the log, with the name of its token but never the token's value. */
export interface LogLine {
  /** Id from a trusted proxy, or else a random one; only in JSON lines. */
  id?: string
  method: string
  target: string
  status: number
  /** Name of the token; null if the token is unknown. */
  token: string | null
  /** True if one of the user's own handlers responded. */
  override?: true
}

export function toLogLine(
  request: RequestSummary,
  { status, caller, isOverride }: ResponseSummary,
  { world, id }: { world: World | undefined; id?: string | undefined },
): LogLine {
  const { method, path, query } = request
  const pathAndQuery = query === '' ? path : `${path}?${query}`
  // Without a world, the secrets to redact are unknown, so the query is left out.
  const target = world?.journal.redact(pathAndQuery) ?? withoutIsolatedValues(path, '[token]')
  return {
    ...(id !== undefined && { id }),
    method,
    target,
    status,
    token: caller ?? null,
    ...(isOverride && { override: true }),
  }
}

const REQUEST_ID = /^[\w.:+/=-]{1,128}$/

/** Returns the id that a trusted proxy has given a request, if it is safe to show; otherwise a random id. */
export function requestIdOf(
  request: Pick<RequestSummary, 'header'>,
  { isProxied, world }: { isProxied: boolean; world: World | undefined },
): string {
  const given = (isProxied && request.header('x-request-id')) || ''
  // A proxy may pass on the id of a client, which can contain anything.
  const isShown = world?.journal.redact(given) === given
  return isShown && REQUEST_ID.test(given) ? given : randomUUID()
}

export function formatRequest(
  { method, target, status, token, override }: LogLine,
  { green, yellow, dim }: ReturnType<typeof colorsFor>,
): string {
  const color = status < 400 ? green : yellow
  const by = override ? 'your handler' : (token ?? 'no known token')
  return `${color(String(status))} ${withoutControls(`${method} ${target}`)}  ${dim(withoutControls(by))}`
}
