import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequest, sendResponse } from '@remix-run/node-fetch-server'
import { API_PREFIX } from '../contract/conventions.ts'
import { OptionError } from '../world/option.ts'
import { originOf, splitTarget } from './node.ts'
import type { Middleware } from './node.ts'

/** A request handler of msw 2 or 3 (`http.get(…)`), by its shape, so that its type needs no msw. */
export interface MswHandler {
  readonly info: object
  readonly run: (args: never) => Promise<unknown>
}

/** msw's `getResponse`: what the first of the handlers that answers makes of a request. */
export type GetResponse = (
  handlers: never,
  request: Request,
  context?: { baseUrl?: string },
) => Promise<Response | undefined>

export interface UserHandlers {
  handlers: readonly MswHandler[]
  /** That of the msw which this package finds, where omitted. */
  getResponse?: GetResponse | undefined
  /** Called with what they answered, before it is written. */
  onAnswer?: ((message: IncomingMessage, answer: Response) => void) | undefined
}

/**
 * The user's own MSW handlers ahead of the API. What none of them answers, or one lets through with
 * `passthrough()`, is the API's to answer.
 *
 * @throws OptionError for what is no request handler, and where there is no msw.
 */
export async function withHandlers(
  api: Middleware,
  { handlers, getResponse, onAnswer }: UserHandlers,
): Promise<Middleware> {
  const groups = groupByBase(requireHandlers(handlers))
  const ask = getResponse ?? (await loadGetResponse())
  if (typeof ask !== 'function') {
    throw new OptionError('getResponse: This is no function. Give the getResponse of your msw.')
  }

  async function respond(request: Request): Promise<Response | undefined> {
    const { origin, pathname, search } = new URL(request.url)
    for (const group of groups) {
      const baseUrl = group.base ?? origin
      const addressed = new Request(`${baseUrl}${pathname}${search}`, request.clone())
      const answer = await ask(group.handlers as never, addressed, { baseUrl })
      if (answer) return isPassthrough(answer) ? undefined : answer
    }
    return undefined
  }

  return async (message, response) => {
    const request = toRequest(message, response)
    const answer = request && (await respond(request).catch(toThrown))
    if (!answer) {
      api(message, response)
      return
    }
    onAnswer?.(message, answer)
    if (answer.type === 'error') response.destroy()
    else await sendResponse(response, answer).catch(() => response.destroy())
  }
}

interface Group {
  /** Scheme, host and path before `/api/v1`; undefined where the handlers take any. */
  base: string | undefined
  handlers: MswHandler[]
}

/**
 * Handlers that stand next to each other and name the same host. Each group is asked as if the request
 * had gone to that host, so that handlers written for tests match what comes to this server.
 */
function groupByBase(handlers: readonly MswHandler[]): Group[] {
  const groups: Group[] = []
  for (const handler of handlers) {
    const base = baseOf(handler)
    const last = groups.at(-1)
    if (last && last.base === base) last.handlers.push(handler)
    else groups.push({ base, handlers: [handler] })
  }
  return groups
}

const BASE = new RegExp(String.raw`^https?://[^/]+(?:.*?(?=${API_PREFIX}\b))?`, 'i')

function baseOf(handler: MswHandler): string | undefined {
  const { info } = handler
  // A handler of GraphQL has its address beside what it is about.
  const address: unknown = 'path' in info ? info.path : Reflect.get(handler, 'endpoint')
  const text = address instanceof RegExp ? toLiteral(address) : address
  const base = typeof text === 'string' ? BASE.exec(text)?.[0] : undefined
  return base !== undefined && URL.canParse(base) ? base : undefined
}

/** How an expression begins, where that is a literal: `^https?:\/\/a\.example` is `https://a.example`. */
function toLiteral({ source }: RegExp): string {
  return source
    .replace(/^\^/, '')
    .replace(/^https\?/, 'https')
    .replaceAll(/\\(.)/g, '$1')
}

/**
 * The handlers that can answer a request; those of WebSockets, which lists of tests may hold too, cannot.
 *
 * @throws OptionError
 */
function requireHandlers(handlers: unknown): readonly MswHandler[] {
  if (!Array.isArray(handlers)) {
    throw new OptionError('handlers: This is no list. Give the handlers of MSW as an array.')
  }
  const list: readonly unknown[] = handlers
  const wrong = list.findIndex((handler) => !isHandler(handler) && !isWebSocketHandler(handler))
  if (wrong === -1) return list.filter(isHandler)
  throw new OptionError(
    `handlers[${wrong}]: This is not a request handler of MSW. Give those that http.get(…) and its like make.`,
  )
}

function isHandler(value: unknown): value is MswHandler {
  return typeof value === 'object' && value !== null && 'info' in value && 'run' in value
}

function isWebSocketHandler(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'url' in value && 'run' in value
}

async function loadGetResponse(): Promise<GetResponse> {
  try {
    const { getResponse } = await import('msw')
    return getResponse
  } catch (error) {
    throw new OptionError(
      'handlers: They need msw, which is not installed. Run npm install --save-dev msw.',
      { cause: error },
    )
  }
}

/** Undefined for what fetch has no request for, like the method TRACE: no handler can have been meant. */
function toRequest(message: IncomingMessage, response: ServerResponse): Request | undefined {
  const { path, query } = splitTarget(message.url ?? '/')
  message.url = query === '' ? path : `${path}?${query}`
  // What is left of a body that nobody read would hold up the connection's next request.
  response.once('finish', () => message.removeAllListeners('data').resume())
  try {
    const { host, protocol } = new URL(originOf(message))
    return createRequest(message, response, { host, protocol })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** How `passthrough()` of msw 2 and 3 says that it answers nothing. */
function isPassthrough({ headers }: Response): boolean {
  return headers.get('x-msw-intention') === 'passthrough'
}

/** What a handler threw: an answer, as msw takes it, or an error to be told. */
function toThrown(error: unknown): Response {
  if (error instanceof Response) return error
  const reason = error instanceof Error ? error.message : String(error)
  return Response.json({ message: `One of your handlers threw: ${reason}` }, { status: 500 })
}
