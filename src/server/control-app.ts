import { inspect } from 'node:util'
import express from 'express'
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import { CONTROL_ROUTES } from '../control-api/control-routes.ts'
import { SNAPSHOT_LIMIT_MB } from '../control-api/routes/world-routes.ts'
import { CONTROL_PREFIX } from '../control-api/prefix.ts'
import { errorResponse, toErrorResponse } from '../control-api/control-error.ts'
import { bodyLimitMbOf, changesWorld } from '../control-api/routes/route.ts'
import type { ControlResponse, ControlRoute } from '../control-api/routes/route.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import { FixtureError, formatPlace } from '../fixtures/fixture-error.ts'
import { OptionError } from '../world/option-error.ts'
import { BodyReader } from './bodies/body-reader.ts'
import { BodyReceiver } from './bodies/body-receiver.ts'
import { routeLimit } from './bodies/body-too-large.ts'
import type { BodyLimit } from './bodies/body-too-large.ts'
import { BODY_STATUSES, BodyError, parseBody, requireUtf8 } from './bodies/parse-body.ts'
import { readControlDocument } from './api-document.ts'
import type { ControlAppOptions } from './control-app-options.ts'
import { createGuard } from './control-guard.ts'
import type { Host } from './host.ts'
import { pagePath } from './page-address.ts'
import { sendControlResponse, toWritten } from './send-control-response.ts'
import { isReplaced, REPLACED } from '../adapters/fail-with.ts'
import { originOf } from '../adapters/node-request.ts'
import { StateFileError } from './server-error.ts'
import { StoreError } from '../store/store-error.ts'
import { LIMITED_HEADER, refusalHeaders, refusalStatus } from './store-refusal.ts'

/** How many streams of events may be open at a time, and how many of them only without the key of a world. */
const MAXIMUM_STREAMS = 100
const RESERVED_STREAMS = 10

/** Streams with the admin key count under this name, and not for the world that they show. */
const OPERATOR = ''

const TOO_MANY_STREAMS = errorResponse(
  429,
  'too_many_streams',
  'As many streams of events are open as this server takes. Close one, and open this one again.',
)

const TOO_MANY_STREAMS_OF_WORLD = errorResponse(
  429,
  'too_many_streams',
  'This world has as many streams of events open as its host allows. Close one, and open this one again.',
)

/** What the limits of a body depend on. */
interface ReadOptions {
  largeInput: ControlRoute['largeInput']
  id: string
  spend: (ms: number) => void
}

/** The control API of a host, under `/_sandbox`. */
export function createControlApp(
  host: Host,
  { listensOn, adminKey, isOff = false, settled, publicUrl, hops, metrics }: ControlAppOptions,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Of a repeated parameter the last value counts.
  app.set('query parser', (query: string | null) =>
    Object.fromEntries(new URLSearchParams(query ?? '')),
  )
  const control = express.Router({ strict: true })
  const { work } = host
  host.world.options.pacing.pause = work.pauseOf(DEFAULT_WORLD)
  const bodies = new BodyReader()
  const receiver = new BodyReceiver()

  const guard = createGuard({ listensOn, adminKey, hops, store: host.store, work, send })
  for (const route of CONTROL_ROUTES.filter(({ role }) => role === 'public')) mount(route)
  if (isOff) control.use(answerOff)
  for (const route of CONTROL_ROUTES.filter(({ role }) => role !== 'public')) {
    mount(route, guard(route.role))
  }
  control.use(guard('shared'), (request, response) => {
    send(response, unknownRoute(request))
  })

  let streams = 0
  const streamsOf = new Map<string, number>()
  const maximumOf = (holder: string): number =>
    [OPERATOR, DEFAULT_WORLD].includes(holder) ? Infinity : (host.store?.limits.streams ?? Infinity)
  const admitStream = (
    controlResponse: ControlResponse,
    response: Response,
    id: string,
  ): ControlResponse => {
    // No close event follows where the client has left while its world was loaded.
    if (response.destroyed) return controlResponse
    const { key } = response.locals as { key?: string }
    const reserved = key === undefined ? 0 : RESERVED_STREAMS
    if (streams >= MAXIMUM_STREAMS - reserved) return TOO_MANY_STREAMS
    const holder = key === undefined && adminKey !== undefined ? OPERATOR : id
    const own = (streamsOf.get(holder) ?? 0) + 1
    if (own > maximumOf(holder)) return TOO_MANY_STREAMS_OF_WORLD
    streams += 1
    streamsOf.set(holder, own)
    // The client continues with Last-Event-ID.
    const unfollow = host.worlds.follow?.(id, { onEnd: () => response.end(), key })
    response.once('close', () => {
      streams -= 1
      const left = (streamsOf.get(holder) ?? 1) - 1
      if (left === 0) streamsOf.delete(holder)
      else streamsOf.set(holder, left)
      unfollow?.()
    })
    return controlResponse
  }

  app.use(protect)
  app.use(CONTROL_PREFIX, control)
  app.use(answerError)
  return app

  function mount(route: ControlRoute, permit: RequestHandler = admitAny): void {
    const { method, path, answer, role, largeInput } = route
    control[method](path, permit, async (request, response) => {
      const { params } = request as Request<Record<string, string>>
      const query = request.query as Record<string, string>
      const own = worldOfKey(response)
      const limit = limitOf(route, own)
      const { world: id = own ?? DEFAULT_WORLD } = query
      const spend = (ms: number): void => work.spend(id, ms)
      const bytes = await receiver.receive(request, response, { limit, world: own, spend })
      const origin = publicUrl ?? originOf(request, hops)
      const received = { params, query, lastEventId: request.get('last-event-id') }
      requireUtf8(request.get('content-type'))
      const answered = async (): Promise<ControlResponse> => {
        // The routes of other roles never look at it.
        const world = role === 'world' ? await host.worlds.get(id) : host.world
        const context = {
          worlds: host.worlds,
          store: host.store,
          metrics,
          document: readControlDocument,
          origin,
          world,
          pageOf: (report: number) => `${origin}${pagePath(report, world)}`,
        }
        const use = async (body: unknown): Promise<ControlResponse> => {
          const controlResponse = await answer(context, { ...received, body })
          if (changesWorld(route) && id === DEFAULT_WORLD) await settled?.()
          return controlResponse
        }
        return work.run(id, async () =>
          toWritten(
            await readBody(bytes, { largeInput, id, spend }, use),
            snapshotLimitOf(own).bytes,
          ),
        )
      }
      const controlResponse =
        own === undefined ? await answered() : await work.inTurn(own, answered)
      const admitted = controlResponse.stream
        ? admitStream(controlResponse, response, id)
        : controlResponse
      if (admitted.status === 429) response.set(LIMITED_HEADER, 'host')
      await work.run(id, () =>
        sendControlResponse(response, admitted, {
          pause: own === undefined ? work.pauseOf(id) : work.patientPauseOf(own),
          measure: (sendSome) => work.measure(id, sendSome),
        }),
      )
    })
  }

  /** How large a snapshot may be, either way, with the key of a world or without one. */
  function snapshotLimitOf(own: string | undefined): BodyLimit {
    const limit = routeLimit(SNAPSHOT_LIMIT_MB)
    const ofHost = own === undefined ? Infinity : (host.store?.limits.fixtures ?? Infinity)
    return ofHost < limit.bytes ? { bytes: ofHost, isOfHost: true } : limit
  }

  function limitOf(route: ControlRoute, own: string | undefined): BodyLimit {
    const [limit, ofSnapshot] = [routeLimit(bodyLimitMbOf(route)), snapshotLimitOf(own)]
    return route.largeInput !== undefined && ofSnapshot.bytes < limit.bytes ? ofSnapshot : limit
  }

  /** Reads the body of a request; undefined where there is none. */
  function readBody(
    bytes: Uint8Array<ArrayBuffer>[] | undefined,
    { largeInput, id, spend }: ReadOptions,
    use: (body: unknown) => Promise<ControlResponse>,
  ): Promise<ControlResponse> {
    if (bytes === undefined) return use(undefined)
    if (largeInput === undefined) return use(parseBody(bytes))
    const whole = largeInput === 'body'
    return bodies.read({ bytes, whole, pause: work.pauseOf(id), spend }, use)
  }
}

/** The world that the key of a request opens; undefined for the admin key, and where no key is needed. */
function worldOfKey({ locals }: Response): string | undefined {
  return locals['world'] as string | undefined
}

const admitAny: RequestHandler = (_request, _response, next) => next()

/** No page of another site may read a response, no cache may keep it, and no browser may treat it as anything but JSON. */
const protect: RequestHandler = (_request, response, next) => {
  response.set({
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  })
  next()
}

const answerOff: RequestHandler = (_request, response) => {
  send(
    response,
    errorResponse(404, 'control_off', 'The control API is off here, except for health and ready.'),
  )
}

/** Sends a short response. */
function send(response: Response, { status, body }: ControlResponse): void {
  if (status === 429) response.set(LIMITED_HEADER, 'host')
  response.status(status).json(body)
}

/** The response for a path or a method that no route has. */
function unknownRoute({ method, path }: Request): ControlResponse {
  const paths = [...new Set(CONTROL_ROUTES.map((route) => `${CONTROL_PREFIX}${route.path}`))]
  return errorResponse(
    404,
    'route_not_found',
    `There is no ${method} ${CONTROL_PREFIX}${path}. The control API has ${paths.join(', ')}.`,
  )
}

const GONE = errorResponse(500, 'replaced', REPLACED)
const BUG = errorResponse(500, 'internal_error', 'This is a bug of seo-sandbox.')

/**
 * Answers errors of commands and of reading bodies. Anything else is a bug, or a part of the package that is gone, and is
 * printed to stderr in full.
 */
const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error)
    return
  }
  if (error instanceof StoreError) response.set(refusalHeaders(error))
  // The rest of the body is not waited for.
  if (error instanceof BodyError && error.code === 'body_too_slow')
    response.set('Connection', 'close')
  const isForOperator = worldOfKey(response) === undefined
  const answer = toErrorResponse(error) ?? toServerErrorResponse(error, isForOperator)
  if (!answer) process.stderr.write(`${inspect(error)}\n`)
  send(response, answer ?? (isReplaced(error) ? GONE : BUG))
}

/** The response to an error of a server or of reading a body; undefined for any other. */
function toServerErrorResponse(
  error: unknown,
  isForOperator: boolean,
): ControlResponse | undefined {
  if (error instanceof FixtureError) {
    const problems = error.problems.map((problem) => ({
      path: formatPlace(problem),
      message: problem.message,
    }))
    return errorResponse(422, error.code, error.message, problems)
  }
  if (error instanceof StateFileError) {
    const message = `The change is made, but would be lost in a restart. ${error.message}`
    return errorResponse(500, error.code, message)
  }
  // The key is right: a wrong one was refused before.
  if (error instanceof StoreError && error.code === 'expired') return respondWith(403, error)
  if (error instanceof StoreError) {
    const { code, message, forOperator = message } = error
    return respondWith(refusalStatus(error), {
      code,
      message: isForOperator ? forOperator : message,
    })
  }
  // A value in a body may be refused in the same way as an option.
  if (error instanceof OptionError) return respondWith(422, error)
  if (error instanceof BodyError) return respondWith(BODY_STATUSES[error.code], error)
  return error instanceof Error && 'status' in error ? toExpressResponse(error) : undefined
}

function respondWith(
  status: number,
  { code, message }: { code: string; message: string },
): ControlResponse {
  return errorResponse(status, code, message)
}

/** The response to an error of Express. */
function toExpressResponse(error: Error & { status?: unknown }): ControlResponse | undefined {
  const status = Number(error.status)
  if (status < 400 || status >= 500) return undefined
  return errorResponse(status, 'invalid_request', `${error.message}.`)
}
