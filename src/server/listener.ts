import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { failWith } from '../adapters/fail-with.ts'
import { splitTarget, toApiRequest } from '../adapters/node-request.ts'
import type { Target } from '../adapters/node-request.ts'
import { createHandler } from '../adapters/node.ts'
import type { Responder } from '../adapters/node.ts'
import { inOrder } from '../adapters/turns.ts'
import { isLocalHost } from '../contract/addresses.ts'
import { API_DOCUMENT_PATH, CONTROL_PREFIX } from '../control-api/prefix.ts'
import { GAPS_HEADER } from '../engine/gaps-header.ts'
import { parseOption } from '../world/parse-option.ts'
import { sendApiDocument } from './api-document.ts'
import type { ControlAppOptions } from './control-app-options.ts'
import type { Host } from './host.ts'
import type { Metrics } from './metrics.ts'
import { PAGES_PREFIX } from '../report-pages/page-address.ts'
import { CONSOLE_PREFIX } from './prefixes.ts'
import { createPageLinks } from '../report-pages/report-links.ts'
import { Origins } from './server-options.ts'
import type { ServerOptions } from './server-options.ts'

/** Serves a request whose target has been split. */
type Serve = (request: IncomingMessage, response: ServerResponse, target: Target) => void

interface ListenerOptions extends Pick<
  ServerOptions,
  'cors' | 'onResponse' | 'showGaps' | 'handlers' | 'getResponse'
> {
  hasConsole: boolean
  control: ControlAppOptions
  metrics: Metrics | undefined
}

/** Serves a host: the control API below its prefix, and everything else with CORS and after the user's own handlers. */
export async function createListener(
  host: Host,
  options: ListenerOptions,
): Promise<RequestListener> {
  const { control, metrics } = options
  const serveControl = onDemand(async () => {
    const { createControlApp } = await import('./control-app.ts')
    const app = createControlApp(host, control)
    return (request, response) => app(request, response)
  })
  const serve = await withCors(await withUserHandlers(createServe(host, options), options), options)
  return (request, response) => {
    const target = splitTarget(request)
    const { path, query } = target
    metrics?.countOther(path, response)
    if (firstSegment(path) !== CONTROL_PREFIX) {
      serve(request, response, target)
      return
    }
    // Express cannot parse every target in absolute form. A foreign host in one is refused like one in the Host header.
    const [, named] = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '') ?? []
    if (named !== undefined && !isLocalHost(named)) request.headers.host = named
    request.url = query === '' ? path : `${path}?${query}`
    inOrder(request.socket, () => serveControl(request, response, target))
  }
}

/** The first segment of a path, with the slash before it. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return end === -1 ? path : path.slice(0, end)
}

/** Serves the console, the pages of reports and the document of the API; all other paths are for the API itself. */
function createServe(
  host: Host,
  { hasConsole, control: { hops, publicUrl }, onResponse, metrics }: ListenerOptions,
): Serve {
  const show = createPageLinks()
  const api: Responder = {
    answer: (request) =>
      host.answer(publicUrl === undefined ? request : { ...request, origin: publicUrl }, show),
  }
  const serveApi = createHandler(metrics?.ofApi(api) ?? api, {
    trustProxy: hops,
    ...(onResponse && { onResponse }),
  })
  const servePage = onDemand(async () => {
    const { createReportPages } = await import('./report-pages.ts')
    return createReportPages(host, hops)
  })
  // A file or page that is not the console's is for the API.
  const serveConsole = onDemand(async () => {
    const { sendConsoleFile } = await import('./console-page.ts')
    return async (request, response, target) => {
      const isSent = await sendConsoleFile(request, response, target.path)
      if (!isSent) serveApi(request, response, target)
    }
  })
  const serveDocument: Serve = (request, response) => {
    sendApiDocument(request, response).catch((error: unknown) => failWith(error, response))
  }

  const choose = ({ method }: IncomingMessage, { path }: Target): Serve => {
    switch (firstSegment(path)) {
      case '/':
        // A path that begins with two slashes is the API's, and must not wait for the console.
        return hasConsole && path === '/' ? serveConsole : serveApi
      case CONSOLE_PREFIX:
        return hasConsole ? serveConsole : serveApi
      case PAGES_PREFIX:
        return servePage
      case API_DOCUMENT_PATH: {
        const isRead = method === 'GET' || method === 'HEAD'
        return isRead && path === API_DOCUMENT_PATH ? serveDocument : serveApi
      }
      default:
        return serveApi
    }
  }
  return (request, response, target) => {
    const serve = choose(request, target)
    // `serveApi` waits for its turn itself.
    if (serve === serveApi) serve(request, response, target)
    else inOrder(request.socket, () => serve(request, response, target))
  }
}

/** Loads what serves requests when the first one comes. */
function onDemand(
  load: () => Promise<(...request: Parameters<Serve>) => void | Promise<void>>,
): Serve {
  let loading: ReturnType<typeof load> | undefined
  return (request, response, target) => {
    loading ??= load()
    loading
      .then((serve) => serve(request, response, target))
      .catch((error: unknown) => failWith(error, response))
  }
}

/** Preflights are answered at once, and not counted (G-029, G-054). */
async function withCors(
  serve: Serve,
  { cors, showGaps = false }: Pick<ListenerOptions, 'cors' | 'showGaps'>,
): Promise<Serve> {
  if (cors === undefined) return serve
  const origins = parseOption(Origins, cors, 'cors')
  const { default: createCors } = await import('cors')
  const allow = createCors({
    origin: origins.includes('*') ? '*' : origins,
    methods: ['GET', 'HEAD'],
    exposedHeaders: showGaps ? [GAPS_HEADER] : [],
  })
  return (request, response, target) => {
    const next = (): void => serve(request, response, target)
    const isPreflight = 'access-control-request-method' in request.headers
    if (request.method === 'OPTIONS' && !isPreflight) next()
    else allow(request, response, next)
  }
}

/** Tries the user's own handlers first; what they need is only loaded where there are any. */
async function withUserHandlers(
  serve: Serve,
  { handlers, getResponse, onResponse, control: { hops } }: ListenerOptions,
): Promise<Serve> {
  if (!handlers) return serve
  const { createUserHandlers } = await import('../adapters/user-handlers.ts')
  const handle = await createUserHandlers({
    handlers,
    getResponse,
    onResponse: (message, target, { status }) =>
      onResponse?.(toApiRequest(message, target, hops), { status, isOverride: true }),
  })
  return (request, response, target) =>
    handle(request, response, target, () => serve(request, response, target))
}
