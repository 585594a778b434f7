import type { IncomingMessage, ServerResponse } from 'node:http'
import { splitTarget, fromNodeRequest } from '../adapters/node-request.ts'
import { CONTROL_PREFIX } from '../control-api/prefix.ts'
import { GAPS_HEADER } from '../engine/gap-finder.ts'
import { parseOption } from '../world/options/parse-option.ts'
import { firstSegment } from './listener.ts'
import type { ListenerOptions, Serve } from './listener.ts'
import { OriginsOption } from './server-options.ts'
import type { ServerOptions } from './server-options.ts'

export type LayerOptions = ListenerOptions &
  Pick<ServerOptions, 'cors' | 'showGaps' | 'handlers' | 'getResponse'>

/**
 * Adds CORS and the user's own handlers in front of everything except the control API, and counts requests outside the API in the
 * metrics.
 */
export async function withLayers(
  serve: Serve,
  options: LayerOptions,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const { metrics } = options
  const layered = await withCors(await withUserHandlers(serve, options), options)
  return (request, response) => {
    const target = splitTarget(request)
    const { path } = target
    metrics?.countOther(path, response)
    const isControl = firstSegment(path) === CONTROL_PREFIX
    void (isControl ? serve : layered)(request, response, target)
  }
}

/** Adds CORS. Preflights are answered here, and do not count against rate limits (G-029, G-054). */
async function withCors(
  serve: Serve,
  { cors, showGaps = false }: Pick<LayerOptions, 'cors' | 'showGaps'>,
): Promise<Serve> {
  if (cors === undefined) return serve
  const origins = parseOption(OriginsOption, cors, 'cors')
  const { default: createCors } = await import('cors')
  const allow = createCors({
    origin: origins.includes('*') ? '*' : origins,
    methods: ['GET', 'HEAD'],
    exposedHeaders: showGaps ? [GAPS_HEADER] : [],
  })
  return (request, response, target) => {
    const next = (): void => void serve(request, response, target)
    const isPreflight = 'access-control-request-method' in request.headers
    if (request.method === 'OPTIONS' && !isPreflight) next()
    else allow(request, response, next)
  }
}

/** Tries the user's own handlers first. Loads the code for handlers only if there are any. */
async function withUserHandlers(
  serve: Serve,
  { handlers, getResponse, onResponse, control: { hops } }: LayerOptions,
): Promise<Serve> {
  if (!handlers) return serve
  const { createUserHandlers } = await import('../adapters/user-handlers.ts')
  const handle = await createUserHandlers({
    handlers,
    getResponse,
    onResponse: (message, target, { status }) =>
      onResponse?.(fromNodeRequest(message, target, hops), { status, isOverride: true }),
  })
  return (request, response, target) =>
    handle(request, response, target, () => void serve(request, response, target))
}
