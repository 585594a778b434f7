import { STATUS_TEXTS } from '../contract/problems.ts'
import type { WireFault } from '../contract/wire-fault.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import {
  isSilent,
  pause,
  requireHandled,
  toPieces,
  untilAborted,
  waitBeforeResponse,
} from './delivery.ts'

/** Options of `fetch`, and the client's address. */
export interface SandboxRequestInit extends RequestInit {
  /** Client address for allow-lists; 127.0.0.1 if omitted. */
  clientIp?: string
}

/** Base of a URL given as a path alone. */
const BASE_URL = 'http://localhost'

/**
 * Converts a WHATWG request to a request of the engine.
 *
 * @throws TypeError for a URL, headers or a body that fetch would also refuse; the reason of an aborted signal.
 */
export function fromFetchRequest(
  input: string | URL | Request,
  init?: SandboxRequestInit | null,
): ApiRequest {
  const { clientIp = '127.0.0.1', body, ...options } = init ?? {}
  const request = isRequest(input) ? input : undefined
  const { origin, pathname, search } = new URL(toText(input), BASE_URL)
  const headers = options.headers === undefined ? request?.headers : new Headers(options.headers)
  const method = (options.method ?? request?.method ?? 'GET').toUpperCase()
  if (body !== undefined && body !== null && (method === 'GET' || method === 'HEAD')) {
    throw new TypeError('A request with the method GET or HEAD cannot have a body.')
  }
  toSignal(input, init)?.throwIfAborted()
  return {
    method,
    path: pathname,
    query: search.slice(1),
    header: (name) => headers?.get(name) ?? undefined,
    headers: toList(headers),
    clientIp,
    origin,
    observesEnd: 'delayed',
  }
}

/** Returns a list of alternating names and values. */
function toList(headers: Headers | undefined): string[] {
  const list: string[] = []
  // Faster than an iterator.
  headers?.forEach((value, name) => list.push(name, value))
  return list
}

/** Checks the shape rather than the class, because a request may come from another realm or a polyfill. */
function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && 'url' in input
}

function toText(input: string | URL | Request): string {
  if (isRequest(input)) return input.url
  return typeof input === 'string' ? input : input.href
}

function toSignal(
  input: string | URL | Request,
  init?: SandboxRequestInit | null,
): AbortSignal | undefined {
  const ofRequest = isRequest(input) ? input.signal : undefined
  return (init?.signal === undefined ? ofRequest : init.signal) ?? undefined
}

/**
 * Responds like fetch, and applies the wire fault of the response.
 *
 * @throws TypeError for input that fetch refuses, and for a reset connection; the reason of the signal if it is aborted.
 */
export async function fetchFrom(
  answer: (request: ApiRequest) => ApiResponse,
  input: string | URL | Request,
  init?: SandboxRequestInit | null,
): Promise<Response> {
  const request = fromFetchRequest(input, init)
  const signal = toSignal(input, init)
  const response = await toResponse(answer(request), { method: request.method, signal })
  if (response.type !== 'error') return withUrl(response, toUrl(request))
  signal?.throwIfAborted()
  throw lostConnection('fetch failed')
}

function toUrl({ origin, path, query }: ApiRequest): string {
  return `${origin}${path}${query && `?${query}`}`
}

/** Sets the URL of a response and its clones to that of the request, so that clients can resolve relative page links. */
function withUrl(response: Response, url: string): Response {
  return Object.defineProperties(response, {
    url: { value: url, configurable: true },
    clone: {
      value: () => withUrl(Response.prototype.clone.call(response), url),
      configurable: true,
    },
  })
}

interface Recipient {
  method: string
  signal: AbortSignal | undefined
}

/**
 * Converts a response of the engine to a WHATWG response, and resolves when the response arrives. The result is a network error if
 * the connection is reset or the signal is aborted first.
 */
export async function toResponse(
  { status, headers, body, wire, followsTimers, onEnd }: ApiResponse,
  { method, signal = new AbortController().signal }: Recipient,
): Promise<Response> {
  const waiting = waitBeforeResponse()
  if (waiting) await waiting
  if (waiting && signal.aborted) {
    onEnd?.('aborted')
    return Response.error()
  }
  const isHead = method === 'HEAD'
  const statusText = STATUS_TEXTS[status] ?? ''
  if (!wire) return new Response(isHead ? null : body, { status, statusText, headers })
  const { delayMs = 0, bodyMs, bodyShare, end, ...rest } = wire
  requireHandled(rest)
  if (delayMs > 0) await pause(delayMs, { signal, followsTimers })
  if (isSilent({ bodyShare, end })) await untilAborted(signal)
  if (end === 'reset' || signal.aborted) {
    onEnd?.(signal.aborted ? 'aborted' : 'sent')
    return Response.error()
  }
  // A body in one piece counts as sent, even if it is never read.
  if (isHead || !bodyMs) onEnd?.('sent')
  const stopped = new AbortController()
  const pausing = { signal: stopped.signal, followsTimers }
  const pieces = toPieces(body, { bodyMs, bodyShare, end }, pausing)
  return new Response(isHead ? null : toStream(pieces, { end, stopped, signal, onEnd }), {
    status,
    statusText,
    // Without this header, msw 3 takes a body that is cut off for a complete one.
    headers: { ...headers, 'Content-Length': String(body.byteLength) },
  })
}

/** Streams a body in pieces while it is read, and ends the stream as the wire fault requires. */
function toStream(
  pieces: AsyncGenerator<Uint8Array>,
  {
    end,
    stopped,
    signal,
    onEnd,
  }: {
    end: WireFault['end'] | undefined
    stopped: AbortController
    signal: AbortSignal
    onEnd: ApiResponse['onEnd']
  },
): ReadableStream<Uint8Array> {
  const stop = (): void => stopped.abort()
  return new ReadableStream(
    {
      pull: async (controller) => {
        if (signal.aborted) stop()
        // Removed again below: the signal may outlive the body, and the body may never be read.
        signal.addEventListener('abort', stop)
        const { done, value } = await pieces.next()
        if (done && end === 'silence') await untilAborted(stopped.signal)
        signal.removeEventListener('abort', stop)
        if (done || signal.aborted) onEnd?.(signal.aborted ? 'aborted' : 'sent')
        if (signal.aborted) controller.error(signal.reason)
        else if (!done) controller.enqueue(value)
        else if (end === 'truncated') controller.error(lostConnection('terminated'))
        else controller.close()
      },
      cancel: stop,
    },
    // No piece is read ahead: an error would discard pieces that the client has not read yet.
    { highWaterMark: 0 },
  )
}

/** Creates the error of a lost connection, as Node's fetch throws it. */
function lostConnection(message: string): TypeError {
  const cause = Object.assign(new Error('The connection was reset.'), { code: 'ECONNRESET' })
  return new TypeError(message, { cause })
}
