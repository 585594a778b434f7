import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequest, sendResponse } from '@remix-run/node-fetch-server'
import { API_PREFIX, parseUrl } from '../contract/url.ts'
import { OptionError } from '../world/options/option-error.ts'
import { failWith, userLocationOf } from './fail-with.ts'
import { requestOrigin } from './node-request.ts'
import type { RequestTarget } from './node-request.ts'

/** A request handler of msw 2 or 3, such as `http.get(…)`. Declared structurally, so that the type does not need msw. */
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
  /** `getResponse` of msw. If omitted, the installed msw provides it. */
  getResponse?: GetResponse | undefined
  /** Called with each response of a handler, before that response is sent. */
  onResponse: (message: IncomingMessage, target: RequestTarget, response: Response) => void
}

type Step = (
  message: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  next: () => void,
) => void

/**
 * Creates a function that responds with the user's own MSW handlers. It calls `next` if no handler responds to the request, or
 * if a handler returns `passthrough()`.
 *
 * @throws OptionError if `handlers` is not an array of MSW handlers, if `getResponse` is not a function, or if `getResponse` is
 * omitted and msw is not installed.
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
      const userResponse = request && (await findResponse(request).catch(responseToThrown))
      if (!userResponse) {
        next()
        return
      }
      onResponse(message, target, userResponse)
      if (userResponse.type === 'error') response.destroy()
      else await sendResponse(response, userResponse).catch(() => response.destroy())
    }
    handle().catch((error) => failWith(error, response))
  }
}

interface Group {
  /** Scheme, host and path before `/api/v1`; undefined for handlers that match any host. */
  base: string | undefined
  handlers: MswHandler[]
}

/**
 * Groups consecutive handlers with the same base. Each group receives a request as if it had been sent to that base, so that
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
  // A GraphQL handler has its URL in `endpoint`, not in `info`.
  const address: unknown = 'path' in info ? info.path : Reflect.get(handler, 'endpoint')
  const text = address instanceof RegExp ? toLiteral(address) : address
  const base = typeof text === 'string' ? BASE.exec(text)?.[0] : undefined
  return base !== undefined && parseUrl(base) ? base : undefined
}

/**
 * Converts the source of a simple regular expression to the text that it matches: `^https?:\/\/a\.example` to
 * `https://a.example`.
 */
function toLiteral({ source }: RegExp): string {
  return source
    .replace(/^\^/, '')
    .replace(/^https\?/, 'https')
    .replaceAll(/\\(.)/g, '$1')
}

/**
 * Checks that a list contains only handlers of MSW, and returns the request handlers among them. Lists for tests may also
 * contain WebSocket handlers, which are left out.
 *
 * @param source prefix of error messages that names the source of the handlers
 * @throws OptionError if `handlers` is not an array, or contains anything else
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
 * Converts a Node request to a `Request`; undefined if that is impossible, as with the method TRACE. No handler can match such
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

function isPassthrough({ headers }: Response): boolean {
  return headers.get('x-msw-intention') === 'passthrough'
}

/**
 * Returns the response to send after a handler threw. msw allows a handler to throw a response; any other value becomes a 500.
 */
function responseToThrown(error: unknown): Response {
  if (error instanceof Response) return error
  const reason = error instanceof Error ? error.message : String(error)
  const place = userLocationOf(error)
  const message = `One of your handlers threw: ${reason}${place === undefined ? '' : ` (${place})`}`
  return Response.json({ message }, { status: 500 })
}
