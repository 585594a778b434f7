import type { ApiRequest, ApiResponse } from '../engine/messages.ts'

/** What `fetch` takes, and the address that the request shall come from. */
export interface SandboxRequestInit extends RequestInit {
  /** For allow-lists; 127.0.0.1 where it is omitted. */
  clientIp?: string
}

/** Only completes a URL that was given as a path alone. */
const BASE_URL = 'http://localhost'

/**
 * A WHATWG request as the engine's.
 *
 * @throws TypeError for a URL or headers that fetch would refuse too, and the signal's reason once aborted.
 */
export function toApiRequest(
  input: string | URL | Request,
  init?: SandboxRequestInit | null,
): ApiRequest {
  const { clientIp = '127.0.0.1', body, ...own } = init ?? {}
  const request = isRequest(input) ? input : undefined
  const { origin, pathname, search } = new URL(toText(input), BASE_URL)
  const headers = own.headers === undefined ? request?.headers : new Headers(own.headers)
  const method = (own.method ?? request?.method ?? 'GET').toUpperCase()
  if (body !== undefined && body !== null && (method === 'GET' || method === 'HEAD')) {
    throw new TypeError('A request with the method GET or HEAD cannot have a body.')
  }
  const signal = own.signal === undefined ? request?.signal : own.signal
  signal?.throwIfAborted()
  return {
    method,
    path: pathname,
    query: search.slice(1),
    header: (name) => headers?.get(name) ?? undefined,
    clientIp,
    origin,
  }
}

/** By shape, for a request may come from another realm or a polyfill. */
function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && 'url' in input
}

function toText(input: string | URL | Request): string {
  if (isRequest(input)) return input.url
  return typeof input === 'string' ? input : input.href
}

/** The engine's answer as a WHATWG response. */
export function toResponse({ status, headers, body }: ApiResponse, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers })
}
