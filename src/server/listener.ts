import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { failWith } from '../adapters/fail-with.ts'
import { splitTarget, toApiRequest } from '../adapters/node-request.ts'
import { middleware } from '../adapters/node.ts'
import type { Middleware } from '../adapters/node.ts'
import { TrustedHops } from '../adapters/trusted-hops.ts'
import { inOrder } from '../adapters/turns.ts'
import { isLocalHost } from '../contract/addresses.ts'
import { API_DOCUMENT_PATH, CONTROL_PREFIX } from '../control-api/prefix.ts'
import { GAPS_HEADER } from '../engine/gaps-header.ts'
import { parseOption } from '../world/parse-option.ts'
import { sendApiDocument } from './api-document.ts'
import type { ControlAppOptions } from './control-app-options.ts'
import type { Host } from './host.ts'
import type { Metrics } from './metrics.ts'
import { linkReportPages, withReportPages } from './report-links.ts'
import { Origins, PublicUrl } from './server-options.ts'
import type { ServerOptions } from './server-options.ts'

/** The API, the pages that it links to, its document and the console, with the user's own handlers and CORS in front of them. */
export async function createApi(
  host: Host,
  options: ServerOptions,
  metrics?: Metrics,
): Promise<Middleware> {
  const { cors, publicUrl, trustProxy = 0, onAnswer, showGaps = false } = options
  const origins = cors === undefined ? undefined : parseOption(Origins, cors, 'cors')
  const url = publicUrl === undefined ? undefined : parseOption(PublicUrl, publicUrl, 'publicUrl')
  const linked = linkReportPages(host, url)
  const answers = middleware(metrics?.ofApi(linked) ?? linked, {
    trustProxy,
    ...(onAnswer && { onAnswer }),
  })
  const documented = withDocument(withReportPages(answers, host))
  const api = options.console === true ? withConsole(documented) : documented
  const answering = options.handlers ? await withUserHandlers(api, options) : api
  return origins ? withCors(answering, origins, showGaps ? [GAPS_HEADER] : []) : answering
}

/** The control API handles its prefix; the API handles or refuses everything else. */
export function createListener(handlers: {
  api: Middleware
  control: RequestListener
}): RequestListener {
  return (request, response) => {
    const { path, query } = splitTarget(request.url ?? '/')
    const isControl = path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)
    if (!isControl) {
      handlers.api(request, response)
      return
    }
    // Express cannot parse every target in absolute form. What it names must be this machine too.
    const [, host] = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '') ?? []
    if (host !== undefined && !isLocalHost(host)) request.headers.host = host
    request.url = query === '' ? path : `${path}?${query}`
    inOrder(request.socket, () => handlers.control(request, response))
  }
}

/** The API, and to a GET or HEAD of its path the document that describes it. */
function withDocument(api: Middleware): Middleware {
  return (request, response) => {
    const { method, url = '/' } = request
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && splitTarget(url).path === API_DOCUMENT_PATH)
      inOrder(request.socket, () => void sendApiDocument(request, response))
    else api(request, response)
  }
}

/** The API, and to browsers that open `/` the console; its code is loaded when one does. */
function withConsole(api: Middleware): Middleware {
  return (request, response) => {
    const { path } = splitTarget(request.url ?? '/')
    if (path !== '/' && !path.startsWith('/console/')) {
      api(request, response)
      return
    }
    const answer = async (): Promise<void> => {
      const { sendConsoleFile } = await import('./console-page.ts')
      if (!(await sendConsoleFile(request, response, path))) api(request, response)
    }
    inOrder(request.socket, () => void answer().catch((error) => failWith(error, response)))
  }
}

/** The API with CORS: preflights are handled before it, and not counted (G-029, G-054). */
async function withCors(
  api: Middleware,
  origins: string[],
  exposedHeaders: string[],
): Promise<Middleware> {
  const { default: cors } = await import('cors')
  const allow = cors({
    origin: origins.includes('*') ? '*' : origins,
    methods: ['GET', 'HEAD'],
    exposedHeaders,
  })
  return (request, response) => {
    const isPreflight = 'access-control-request-method' in request.headers
    if (request.method === 'OPTIONS' && !isPreflight) api(request, response)
    else allow(request, response, () => api(request, response))
  }
}

/** The API with the user's own handlers in front of it; their adapter is loaded on demand. */
async function withUserHandlers(
  api: Middleware,
  { handlers = [], getResponse, trustProxy = 0, onAnswer }: ServerOptions,
): Promise<Middleware> {
  const { withHandlers } = await import('../adapters/user-handlers.ts')
  const hops = parseOption(TrustedHops, trustProxy, 'trustProxy')
  return withHandlers(api, {
    handlers,
    getResponse,
    onAnswer: (message, { status }) =>
      onAnswer?.(toApiRequest(message, hops), { status, isOverride: true }),
  })
}

/** The control API, loaded with its framework at its first request. */
export function lazyControl(host: Host, options: ControlAppOptions): RequestListener {
  let app: Promise<RequestListener> | undefined
  const load = async (): Promise<RequestListener> => {
    const { createControlApp } = await import('./control-app.ts')
    return createControlApp(host, options)
  }
  return async (request: IncomingMessage, response: ServerResponse) => {
    app ??= load()
    const control = await app
    control(request, response)
  }
}
