import type { IncomingMessage, ServerResponse } from 'node:http'
import { isReplaced, printUnexpected, REPLACED } from '../adapters/fail-with.ts'
import { requestOrigin } from '../adapters/node-request.ts'
import type { RequestTarget } from '../adapters/node-request.ts'
import { jsonPieces, CHUNK_LENGTH } from '../contract/json-pieces.ts'
import { errorResponse, INTERNAL_ERROR } from '../control-api/control-error.ts'
import { CONTROL_PREFIX } from '../control-api/prefix.ts'
import { JSON_UTF8_TYPE, respond } from '../control-api/respond.ts'
import type { ControlMessage, ControlTransport } from '../control-api/respond.ts'
import type { ControlResponse } from '../control-api/routes/route.ts'
import { pagePath } from '../report-pages/page-links.ts'
import { StoreError } from '../store/store-error.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import type { Backend } from './backend.ts'
import { BodyCollector } from './body-collector.ts'
import { createGuard } from './control-guard.ts'
import type { ControlAccess } from './control-guard.ts'
import { ControlStreams, sendEvents } from './event-streams.ts'
import { readControlDocument } from './package-files.ts'
import { StateFileError } from './server-error.ts'
import { refusalHeaders, refusalStatus, LIMITED_HEADER } from './store-refusal.ts'

export interface ControlOptions extends ControlAccess {
  /** The URL at which clients reach the server, for links; the origin of each request if omitted. */
  publicUrl?: string | undefined
  /** Returns the metrics as text; undefined if metrics are off. */
  metrics?: (() => Promise<string>) | undefined
  /** True to serve only the public routes. */
  isOff?: boolean
  /** Awaited before the response to a change of the default world. Rejects with StateFileError if the change could not be saved. */
  settled?: (() => Promise<void>) | undefined
}

/** Keeps pages of other sites from reading a response, caches from storing it, and browsers from guessing its type. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/** Creates the handler of the control API of a backend, under `/_sandbox`. `respond` has the rules that all transports share. */
export function createControlHandler(
  backend: Backend,
  { adminKey, isOff = false, settled, publicUrl, hops, metrics }: ControlOptions,
): (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => void {
  const { store, rates } = backend
  const bodies = new BodyCollector()
  const guard = createGuard({ adminKey, hops, store, rates })
  const streams = new ControlStreams(backend, { hasAdminKey: adminKey !== undefined })
  const control = { ...backend, metrics, isOff, document: readControlDocument, pagePath }

  return (request, response, target) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    serve(request, response, target)
      .catch((error: unknown) => sendError(error, response))
      .finally(() => bodies.release(response))
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    target: RequestTarget,
  ): Promise<void> {
    let key: string | undefined
    const transport: ControlTransport = {
      admit: async (role, named) => {
        const admission = await guard(request, role, named)
        if ('refusal' in admission) return admission
        key = admission.key
        keyWorlds.set(response, admission.own)
        return admission
      },
      receive: (limit, { own }) => bodies.collect(response, limit, own),
      takeCostly: ({ own }, handle) =>
        own === undefined || !rates ? handle() : rates.takeCostly(own, handle),
      changed: (world) => (world === DEFAULT_WORLD ? settled?.() : undefined),
    }
    const { response: answered, place } = await respond(
      control,
      toMessage(request, target),
      transport,
    )
    const admitted = answered.stream
      ? (streams.admit(response, { world: place.world, key }) ?? answered)
      : answered
    await sendControlResponse(response, admitted)
  }

  function toMessage(request: IncomingMessage, { path, query }: RequestTarget): ControlMessage {
    const { method = 'GET', headers } = request
    return {
      method,
      path: path.slice(CONTROL_PREFIX.length) || '/',
      query,
      contentType: headers['content-type'],
      lastEventId: headers['last-event-id']?.toString(),
      origin: publicUrl ?? requestOrigin(request, hops),
    }
  }
}

/** The world that the key of a request opens, by the response to that request; undefined for the admin key, or without a key. */
const keyWorlds = new WeakMap<ServerResponse, string | undefined>()

const GONE = errorResponse(500, 'replaced', REPLACED)

/**
 * Responds to an error. Prints it to stderr unless a state file or a store caused it, because any other error is a bug, or means
 * that a file of the package is missing.
 */
function sendError(error: unknown, response: ServerResponse): void {
  const answer = toServerRefusal(error, response)
  if (!answer) printUnexpected(error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, headers = {}, body } = answer ?? (isReplaced(error) ? GONE : INTERNAL_ERROR)
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('Content-Type', JSON_UTF8_TYPE)
  response.end(JSON.stringify(body))
}

function toServerRefusal(error: unknown, response: ServerResponse): ControlResponse | undefined {
  if (error instanceof StateFileError) {
    const message = `The change is made, but would be lost in a restart. ${error.message}`
    return errorResponse(500, error.code, message)
  }
  if (!(error instanceof StoreError)) return undefined
  const { code, message, forOperator = message } = error
  const isForOperator = keyWorlds.get(response) === undefined
  // The key is right, because a wrong one was refused before, so a 401 would mislead.
  const status = code === 'expired' ? 403 : refusalStatus(error)
  const sentence = code !== 'expired' && isForOperator ? forOperator : message
  return { ...errorResponse(status, code, sentence), headers: refusalHeaders(error) }
}

/** Sends a response as fast as the client reads it. If the client disconnects, the rest is not computed. */
export async function sendControlResponse(
  response: ServerResponse,
  { status, headers = {}, body, text, stream }: ControlResponse,
): Promise<void> {
  response.statusCode = status
  if (status === 429) response.setHeader(LIMITED_HEADER, 'host')
  // Closes the connection instead of waiting for the rest of a slow body.
  if (status === 408) response.setHeader('Connection', 'close')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (stream) {
    sendEvents(response, stream)
  } else if (text) {
    response.setHeader('Content-Type', text.type)
    response.end(text.content)
  } else if (body === undefined) {
    response.end()
  } else {
    await sendJson(response, body)
  }
}

async function sendJson(response: ServerResponse, body: unknown): Promise<void> {
  response.setHeader('Content-Type', JSON_UTF8_TYPE)
  let text = ''
  for (const piece of jsonPieces(body)) {
    text += piece
    if (text.length >= CHUNK_LENGTH) {
      response.write(text)
      text = ''
    }
    if (response.destroyed) return
    if (response.writableNeedDrain) await drainOf(response)
  }
  response.end(text)
}

/** Resolves when the response accepts more data, or when its client has disconnected. */
function drainOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })
}
