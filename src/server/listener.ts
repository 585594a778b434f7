import type { IncomingMessage, ServerResponse } from 'node:http'
import { failWith } from '../adapters/fail-with.ts'
import type { Next } from '../adapters/fail-with.ts'
import type { RequestTarget } from '../adapters/node-request.ts'
import { createHandler } from '../adapters/node.ts'
import type { MiddlewareOptions, Responder } from '../adapters/node.ts'
import { inRequestOrder } from '../adapters/response-order.ts'
import { API_DOCUMENT_PATH, CONSOLE_PREFIX, CONTROL_PREFIX } from '../control-api/prefix.ts'
import { PAGES_PREFIX, createPageLinks } from '../report-pages/page-links.ts'
import type { ControlOptions } from './control-handler.ts'
import type { Backend } from './backend.ts'
import type { Metrics } from './metrics.ts'

/**
 * Serves a request whose target is already split. `next` is present in an application, and receives requests that the listener does
 * not serve.
 */
export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  next?: Next,
) => void | Promise<void>

export interface ListenerOptions extends Pick<MiddlewareOptions, 'onResponse'> {
  hasConsole: boolean
  control: ControlOptions
  metrics?: Metrics | undefined
}

/** Creates a listener that serves a backend by path. The API serves all paths that have no other handler. */
export function createListener(
  backend: Backend,
  { hasConsole, control, onResponse, metrics }: ListenerOptions,
): Serve {
  const { hops, publicUrl } = control
  const show = createPageLinks()
  const api: Responder = {
    answer: (request) =>
      backend.answer(publicUrl === undefined ? request : { ...request, origin: publicUrl }, show),
  }
  const serveApi = createHandler(metrics?.ofApi(api) ?? api, {
    trustProxy: hops,
    ...(onResponse && { onResponse }),
  })
  const serveControl = onDemand(async () =>
    (await import('./control-handler.ts')).createControlHandler(backend, control),
  )
  const serveReportPage = onDemand(async () =>
    (await import('./report-pages.ts')).createReportPages(backend, hops),
  )
  const serveDocument = onDemand(async () => (await import('./package-files.ts')).sendApiDocument)
  const serveConsole = onDemand(async () => {
    const { sendConsoleFile } = await import('./console-page.ts')
    return async (request, response, target, next) => {
      const isSent = await sendConsoleFile(request, response, target.path)
      if (!isSent) serveApi(request, response, target, next)
    }
  })

  const handlerOf = ({ method }: IncomingMessage, { path }: RequestTarget): Serve => {
    switch (firstSegment(path)) {
      case CONTROL_PREFIX:
        return serveControl
      case PAGES_PREFIX:
        return serveReportPage
      case '/':
        // A path that begins with two slashes belongs to the API, and must not wait for the console.
        return hasConsole && path === '/' ? serveConsole : serveApi
      case CONSOLE_PREFIX:
        return hasConsole ? serveConsole : serveApi
      case API_DOCUMENT_PATH: {
        const isRead = method === 'GET' || method === 'HEAD'
        return isRead && path === API_DOCUMENT_PATH ? serveDocument : serveApi
      }
      default:
        return serveApi
    }
  }
  return (request, response, target, next) => {
    const serve = handlerOf(request, target)
    // `serveApi` itself keeps the requests of a connection in order.
    if (serve === serveApi) serveApi(request, response, target, next)
    else inRequestOrder(request.socket, () => void serve(request, response, target, next))
  }
}

/** Returns the first segment of a path, with the slash before it. */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return end === -1 ? path : path.slice(0, end)
}

/** Loads a handler on its first request, so that the server starts quickly. */
function onDemand(load: () => Promise<Serve>): Serve {
  let loading: Promise<Serve> | undefined
  return (request, response, target, next) => {
    loading ??= load()
    loading
      .then((serve) => serve(request, response, target, next))
      .catch((error: unknown) => failWith(error, response, next))
  }
}
