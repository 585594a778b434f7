import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequest, sendResponse } from '@remix-run/node-fetch-server'
import { API_PREFIX, parseUrl } from '../contract/url.ts'
import { OptionError } from '../world/options/option-error.ts'
import { failWith, placeOfError } from './fail-with.ts'
import { requestOrigin } from './node-request.ts'
import type { RequestTarget } from './node-request.ts'

/** A request handler of msw 2 or 3 (`http.get(…)`), declared by its shape, so that the type does not need msw. */
export interface MswHandler {
  readonly info: object
  readonly run: (args: never) => Promise<unknown>
}

/** msw's `getResponse`, which returns the response of the first handler that has one. */
export type GetResponse = (
  handlers: never,
  request: Request,
  context?: { baseUrl?: string },
) => Promise<Response | undefined>

export interface UserHandlers {
  handlers: readonly MswHandler[]
  /** msw's function; that of the installed msw if omitted. */
  getResponse?: GetResponse | undefined
  /** Called with each response of a handler, before it is sent. */
  onResponse: (message: IncomingMessage, target: RequestTarget, response: Response) => void
}

/** Answers a request, or leaves it to the next step. */
type Step = (
  message: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  next: () => void,
) => void

/**
 * Returns a step that responds with the user's own MSW handlers. A request that no handler responds to, or that a handler lets
 * through with `passthrough()`, goes to the next step.
 *
 * @throws OptionError if `handlers` has anything but MSW handlers, or if msw is not installed.
 */
export async function createUserHandlers({
  handlers,
  getResponse,
  onResponse,
}: UserHandlers): Promise<Step> {
  const groups = groupByBase(requireHandlers(handlers))
  const getFirstResponse = getResponse ?? (await loadGetResponse())
  if (typeof getFirstResponse !== 'function') {
    throw new OptionError('getResponse: This is not a function. Pass the getResponse of your msw.')
  }

  async function findResponse(request: Request): Promise<Response | undefined> {
    const { origin, pathname, search } = new URL(request.url)
    for (const group of groups) {
      const baseUrl = group.base ?? origin
      const addressed = new Request(`${baseUrl}${pathname}${search}`, request.clone())
      const response = await getFirstResponse(group.handlers as never, addressed, { baseUrl })
      if (response) return isPassthrough(response) ? undefined : response
    }
    return undefined
  }

  return (message, response, target, next) => {
    const handle = async (): Promise<void> => {
      const request = toRequest(message, response, target)
      const own = request && (await findResponse(request).catch(toThrown))
      if (!own) {
        next()
        return
      }
      onResponse(message, target, own)
      if (own.type === 'error') response.destroy()
      else await sendResponse(response, own).catch(() => response.destroy())
    }
    handle().catch((error) => failWith(error, response))
  }
}

interface Group {
  /** Scheme, host and path before `/api/v1`; undefined for handlers that match any. */
  base: string | undefined
  handlers: MswHandler[]
}

/**
 * Groups consecutive handlers for the same host. Each group sees a request as if it had been sent to that host, so that
 * handlers written for tests match requests to this server.
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
  // A GraphQL handler has its address in a property of its own, not in `info`.
  const address: unknown = 'path' in info ? info.path : Reflect.get(handler, 'endpoint')
  const text = address instanceof RegExp ? toLiteral(address) : address
  const base = typeof text === 'string' ? BASE.exec(text)?.[0] : undefined
  return base !== undefined && parseUrl(base) ? base : undefined
}

/** Returns the literal start of a regular expression: `^https?:\/\/a\.example` is `https://a.example`. */
function toLiteral({ source }: RegExp): string {
  return source
    .replace(/^\^/, '')
    .replace(/^https\?/, 'https')
    .replaceAll(/\\(.)/g, '$1')
}

/**
 * Checks handlers, and returns those for requests. Lists for tests may also contain WebSocket handlers, which are left out.
 *
 * @param source prefix of messages, which names the source of the handlers
 * @throws OptionError
 */
export function requireHandlers(handlers: unknown, source = ''): readonly MswHandler[] {
  if (!Array.isArray(handlers)) {
    throw new OptionError(`${source}handlers: This is not an array. Pass an array of MSW handlers.`)
  }
  const list: readonly unknown[] = handlers
  const wrong = list.findIndex((handler) => !isHandler(handler) && !isWebSocketHandler(handler))
  if (wrong === -1) return list.filter(isHandler)
  throw new OptionError(
    `${source}handlers[${wrong}]: This is not a request handler of MSW. Pass the results of http.get(…) and the like.`,
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

/**
 * Converts a request for `fetch`. Undefined if `fetch` cannot represent it, as with the method TRACE: no handler can match such
 * a request.
 */
function toRequest(
  message: IncomingMessage,
  response: ServerResponse,
  { path, query }: RequestTarget,
): Request | undefined {
  message.url = query === '' ? path : `${path}?${query}`
  // The unread rest of a body would block the connection's next request.
  response.once('finish', () => message.removeAllListeners('data').resume())
  try {
    const { host, protocol } = new URL(requestOrigin(message))
    return createRequest(message, response, { host, protocol })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** True for a response of `passthrough()` in msw 2 or 3. */
function isPassthrough({ headers }: Response): boolean {
  return headers.get('x-msw-intention') === 'passthrough'
}

/** Converts a value that a handler threw: a response, which msw allows, stays; anything else becomes a 500. */
function toThrown(error: unknown): Response {
  if (error instanceof Response) return error
  const reason = error instanceof Error ? error.message : String(error)
  const place = placeOfError(error)
  const message = `One of your handlers threw: ${reason}${place === undefined ? '' : ` (${place})`}`
  return Response.json({ message }, { status: 500 })
}
