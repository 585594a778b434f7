import { FixtureError, formatLocation } from '../fixtures/fixture-error.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import { errorResponse, toErrorResponse, withPage } from './control-error.ts'
import { decodeSegments, matchRoute, unknownRoute } from './control-routes.ts'
import {
  BODY_BYTES,
  BODY_ERRORS,
  BodyError,
  bodyLimitOf,
  parseBody,
  requireShortText,
  requireUtf8,
  showBytes,
  SNAPSHOT_FACTOR,
} from './request-body.ts'
import type { BodyLimit, BodyRefusal } from './request-body.ts'
import { changesWorld } from './routes/route.ts'
import type { ControlContext, ControlResponse, ControlRole, ControlRoute } from './routes/route.ts'

export interface ControlBackend extends Pick<
  ControlContext,
  'store' | 'problems' | 'metrics' | 'document'
> {
  /** The default world. With a store, it stays as it was created, and `worlds.get` returns its current state. */
  world: World
  worlds: ControlContext['worlds'] & {
    /**
     * Returns the current state of a world.
     *
     * @throws CommandError for an unknown id
     */
    get: (id: string) => World | Promise<World>
  }
  /** True to serve only the public routes. */
  isOff?: boolean
  pagePath: (report: number, world: World) => string
}

/** A request to the control API whose body has not been received yet. */
export interface ControlMessage {
  method: string
  /** The path below `/_sandbox`, as sent. */
  path: string
  /** The query without its question mark. Of a repeated parameter, only the last value is used. */
  query: string
  contentType?: string | undefined
  lastEventId?: string | undefined
  /** The origin at which the client reaches the API. */
  origin: string
}

export interface Admission {
  /** The only world that the request may use; any world if omitted. */
  own?: string | undefined
}

/** Callbacks for the requests of a transport, which is HTTP or a page that contains the sandbox. */
export interface ControlTransport {
  /**
   * Admits or refuses a request before its body is received. `named` is the world in the query; undefined if the query names
   * none.
   */
  admit: (
    role: ControlRole,
    named: string | undefined,
  ) => Promise<Admission | { refusal: ControlResponse }>
  /**
   * Receives the body; undefined if there is none.
   *
   * @throws BodyError for a body that exceeds its limit
   */
  receive: (limit: BodyLimit, place: ControlPlace) => Promise<Uint8Array | undefined>
  /** Handles an expensive request within the rate limit of its sender. */
  takeCostly: <Result>(place: ControlPlace, handle: () => Promise<Result>) => Promise<Result>
  /** Called after a request has changed a world. The response waits for the promise. */
  changed: (world: string) => Promise<void> | undefined
}

export interface ControlPlace {
  world: string
  /** The only world that the request may use; undefined if it may use any. */
  own: string | undefined
}

const ACCESS_PAGE = 'docs/hosting/README.md'

const CONTROL_OFF = errorResponse(
  404,
  'control_off',
  'The control API is off here, except for health and ready.',
)

/**
 * Responds to a request to the control API: finds its route, checks its permissions, receives its body within the limits, and
 * calls the route. Also returns the world of the request.
 *
 * @throws any error that is not about a command, fixtures, an option or a body
 */
export async function respond(
  backend: ControlBackend,
  message: ControlMessage,
  transport: ControlTransport,
): Promise<{ response: ControlResponse; place: ControlPlace }> {
  const query = Object.fromEntries(new URLSearchParams(message.query))
  const named = query['world']
  const refuse = (response: ControlResponse, own?: string) => ({
    response,
    place: { world: named ?? own ?? DEFAULT_WORLD, own },
  })
  const matched = matchRoute(message.method, message.path)
  const role = matched?.route.role ?? 'shared'
  if (backend.isOff === true && role !== 'public') return refuse(withPage(CONTROL_OFF, ACCESS_PAGE))
  const admission = await transport.admit(role, named)
  if ('refusal' in admission) return refuse(withPage(admission.refusal, ACCESS_PAGE))
  if (!matched) {
    return refuse(withPage(unknownRoute(message.method, message.path), 'docs/control-api.md'))
  }
  const { own } = admission
  const { page } = matched
  const decoded = decodeSegments(matched)
  if ('refusal' in decoded) return refuse(withPage(decoded.refusal, page), own)
  const place: ControlPlace = { world: named ?? own ?? DEFAULT_WORLD, own }
  const call = { ...message, query, params: decoded.params }
  try {
    const response = await callRoute(matched.route, call, { backend, place, transport })
    return { response: withPage(response, page), place }
  } catch (error) {
    const response = toRefusal(error)
    if (!response) throw error
    return { response: withPage(response, page), place }
  }
}

interface Call extends Omit<ControlMessage, 'query'> {
  query: Readonly<Record<string, string>>
  params: Readonly<Record<string, string>>
}

interface Calling {
  backend: ControlBackend
  place: ControlPlace
  transport: ControlTransport
}

async function callRoute(
  route: ControlRoute,
  { params, query, contentType, lastEventId, origin }: Call,
  { backend, place, transport }: Calling,
): Promise<ControlResponse> {
  const keyBytes = place.own === undefined ? undefined : backend.store?.limits.body
  const bytes = await transport.receive(bodyLimitOf(route, keyBytes), place)
  requireUtf8(contentType)
  const body = bytes && parseBody(bytes)
  requireShortText(body, { hasKey: keyBytes !== undefined })
  const takeCostly: ControlContext['takeCostly'] = (handle) => transport.takeCostly(place, handle)
  const answer = async (): Promise<ControlResponse> => {
    // Only routes of the role `world` use the world.
    const world = route.role === 'world' ? await backend.worlds.get(place.world) : backend.world
    const context: ControlContext = {
      ...backend,
      origin,
      world,
      takeCostly,
      pageOf: (report) => `${origin}${backend.pagePath(report, world)}`,
    }
    const response = await route.answer(context, { params, query, lastEventId, body })
    if (changesWorld(route)) await transport.changed(place.world)
    return toWritten(response, keyBytes === undefined ? BODY_BYTES : SNAPSHOT_FACTOR * keyBytes)
  }
  return route.isCostly === true ? takeCostly(answer) : answer()
}

/**
 * Collects the text that `write` produces, and returns a response with that text.
 *
 * @throws BodyError for a text of more than `limitBytes`
 */
async function toWritten(
  { write, ...response }: ControlResponse,
  limitBytes: number,
): Promise<ControlResponse> {
  if (!write) return response
  let content = ''
  await write((piece) => {
    content += piece
    if (content.length > limitBytes) throw snapshotTooLarge(limitBytes)
  })
  const bytes = new TextEncoder().encode(content)
  if (bytes.length > limitBytes) throw snapshotTooLarge(limitBytes)
  return { ...response, text: { type: JSON_UTF8_TYPE, content: bytes } }
}

export const JSON_UTF8_TYPE = 'application/json; charset=utf-8'

function snapshotTooLarge(limitBytes: number): BodyError {
  const message = `This world takes more than ${showBytes(limitBytes)} as a snapshot, and could not be restored over HTTP. Keep it with --state.`
  return new BodyError('snapshot_too_large', message)
}

/** Returns the response to an error about the contents of a request; undefined for any other error. */
function toRefusal(error: unknown): ControlResponse | undefined {
  if (error instanceof FixtureError) {
    const problems = error.problems.map((problem) => ({
      path: formatLocation(problem),
      message: problem.message,
    }))
    return withPage(errorResponse(422, error.code, error.message, problems), 'docs/fixtures.md')
  }
  // A body may contain options of a world.
  if (error instanceof OptionError) return errorResponse(422, error.code, error.message)
  if (error instanceof BodyError) {
    const { status, retrySeconds }: BodyRefusal = BODY_ERRORS[error.code]
    const headers = retrySeconds === undefined ? {} : { 'Retry-After': String(retrySeconds) }
    return { ...errorResponse(status, error.code, error.message), headers }
  }
  return toErrorResponse(error)
}
