import type { ServerResponse } from 'node:http'
import express from 'express'
import type { Express, Request, RequestHandler, Response } from 'express'
import { CONTROL_PREFIX } from '../control-api/prefix.ts'
import { errorResponse, INTERNAL_ERROR } from '../control-api/control-error.ts'
import { respond } from '../control-api/respond.ts'
import type { ControlMessage, ControlPlace, ControlTransport } from '../control-api/respond.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import { BodyReader } from './bodies/body-reader.ts'
import { BodyReceiver } from './bodies/body-receiver.ts'
import { readControlDocument } from './api-document.ts'
import type { ControlAppOptions } from './control-app-options.ts'
import { createGuard } from './control-guard.ts'
import { ControlStreams } from './control-streams.ts'
import type { Host } from './host.ts'
import { pagePath } from '../report-pages/page-address.ts'
import { sendControlResponse } from './send-control-response.ts'
import { isReplaced, printUnexpected, REPLACED } from '../adapters/fail-with.ts'
import { originOf, splitTarget } from '../adapters/node-request.ts'
import { StateFileError } from './server-error.ts'
import { StoreError } from '../store/store-error.ts'
import { refusalHeaders, refusalStatus } from './store-refusal.ts'

/** The control API of a host over HTTP, under `/_sandbox`. `respond` has its rules. */
export function createControlApp(
  host: Host,
  { listensOn, adminKey, isOff = false, settled, publicUrl, hops, metrics }: ControlAppOptions,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  const { store, work } = host
  host.world.options.pacing.pause = work.pauseOf(DEFAULT_WORLD)
  const bodies = new BodyReader()
  const receiver = new BodyReceiver()
  const guard = createGuard({ listensOn, adminKey, hops, store, work })
  const streams = new ControlStreams(host, { hasAdminKey: adminKey !== undefined })
  const control = { ...host, metrics, isOff, document: readControlDocument, pagePath }

  app.use(protect)
  app.use(CONTROL_PREFIX, (request, response) => {
    serve(request, response).catch((error: unknown) => answerError(error, response))
  })
  return app

  async function serve(request: Request, response: Response): Promise<void> {
    let key: string | undefined
    const transport: ControlTransport = {
      admit: async (role, named) => {
        const admission = await guard(request, role, named)
        if ('refusal' in admission) return admission
        key = admission.key
        ofKey.set(response, admission.own)
        return admission
      },
      receive: (limit, { world, own }) =>
        receiver.receive(request, response, {
          limit,
          world: own,
          spend: (ms) => work.spend(world, ms),
        }),
      inTurn: ({ own }, job) => (own === undefined ? job() : work.inTurn(own, job)),
      run: ({ world }, job) => work.run(world, job),
      readLarge: (bytes, { whole, world }, use) =>
        bodies.read(
          { bytes, whole, pause: work.pauseOf(world), spend: (ms) => work.spend(world, ms) },
          use,
        ),
      changed: (world) => (world === DEFAULT_WORLD ? settled?.() : undefined),
    }
    const { response: answered, place } = await respond(control, toMessage(request), transport)
    const admitted = answered.stream
      ? (streams.admit(response, { world: place.world, key }) ?? answered)
      : answered
    await send(response, admitted, place)
  }

  function toMessage(request: Request): ControlMessage {
    const { path, query } = splitTarget(request)
    return {
      method: request.method,
      path,
      query,
      contentType: request.get('content-type'),
      lastEventId: request.get('last-event-id'),
      origin: publicUrl ?? originOf(request, hops),
    }
  }

  function send(
    response: ServerResponse,
    controlResponse: ControlResponse,
    { world, own }: ControlPlace,
  ): Promise<void> {
    return work.run(world, () =>
      sendControlResponse(response, controlResponse, {
        pause: own === undefined ? work.pauseOf(world) : work.patientPauseOf(own),
        measure: (sendSome) => work.measure(world, sendSome),
      }),
    )
  }
}

/** The world that the key of a request opens, by its response; undefined for the admin key, and where no key is needed. */
const ofKey = new WeakMap<ServerResponse, string | undefined>()

/** No page of another site may read a response, no cache may keep it, and no browser may treat it as anything but JSON. */
const protect: RequestHandler = (_request, response, next) => {
  response.set({
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  })
  next()
}

const GONE = errorResponse(500, 'replaced', REPLACED)

/**
 * Answers errors of a state file and of a store. Anything else is a bug, or a file of the package that is gone, and is
 * printed to stderr.
 */
function answerError(error: unknown, response: Response): void {
  const answer = toErrorResponse(error, response)
  if (!answer) printUnexpected(error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, headers = {}, body } = answer ?? (isReplaced(error) ? GONE : INTERNAL_ERROR)
  response.status(status).set(headers).json(body)
}

/** The response to an error of a server; undefined for any other. */
function toErrorResponse(error: unknown, response: Response): ControlResponse | undefined {
  if (error instanceof StateFileError) {
    const message = `The change is made, but would be lost in a restart. ${error.message}`
    return errorResponse(500, error.code, message)
  }
  if (!(error instanceof StoreError)) return undefined
  const { code, message, forOperator = message } = error
  const isForOperator = ofKey.get(response) === undefined
  // The key is right: a wrong one was refused before.
  const status = code === 'expired' ? 403 : refusalStatus(error)
  const said = code !== 'expired' && isForOperator ? forOperator : message
  return { ...errorResponse(status, code, said), headers: refusalHeaders(error) }
}
