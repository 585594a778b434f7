import { isAscii } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import timers from 'node:timers'
import { isApiPath } from '../contract/url.ts'
import { notify } from '../journal/subscribers.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { parseOption } from '../world/options/parse-option.ts'
import { failWith } from './fail-with.ts'
import type { Next } from './fail-with.ts'
import { hasBody, fromNodeRequest } from './node-request.ts'
import type { NodeRequest, RequestTarget } from './node-request.ts'
import { TrustedHops } from './trusted-hops.ts'
import { inRequestOrder, mustWait, wait } from './response-order.ts'
import { isSilent, pause, requireHandled, toPieces, untilAborted } from '../sandbox/delivery.ts'

export interface MiddlewareOptions {
  /**
   * Number of proxies in front of the server, from 0 to 100; true means 1. Their X-Forwarded-For, -Proto and -Host headers are
   * trusted. If omitted, 0, and the client address is that of the socket.
   */
  trustProxy?: number | boolean
  /** Called with each request and its response, before the response is written. */
  onResponse?: (request: RequestSummary, response: ResponseSummary) => void
}

/** Fields of a request, for a log. */
export type RequestSummary = Pick<
  NodeRequest,
  'method' | 'path' | 'query' | 'header' | 'clientIp' | 'origin'
>

/** Facts about a response, for a log. */
export interface ResponseSummary {
  /** Status code; 0 if no response is sent. */
  status: number
  /** Name of the request's token; undefined if the token is missing or unknown. */
  caller?: string | undefined
  /** True if one of the user's handlers responded instead of the API; false if omitted. */
  isOverride?: boolean
  /** Ids of the faults that affected the response. */
  faults?: readonly number[]
}

interface Exchange {
  message: IncomingMessage
  response: ServerResponse
  request: NodeRequest
  next: Next | undefined
}

export interface Responder {
  answer: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>
}

/** A handler for Express and Connect, and for `node:http`, which passes no `next`. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next?: Next) => void

export function createHandler(
  sandbox: Responder,
  options: MiddlewareOptions,
): (
  message: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  next?: Next,
) => void {
  const hops = parseOption(TrustedHops, options.trustProxy ?? 0, 'trustProxy')
  let lastSocket: Socket | undefined
  return (message, response, target, next) => {
    const { socket } = message
    const request = fromNodeRequest(message, target, hops)
    if (next && !isApiPath(request.path)) {
      inRequestOrder(socket, () => next())
      return
    }
    // The connection that HTTP/2 requests share cannot be paused.
    if (message.httpVersionMajor > 1 || !mustWait(socket)) {
      answer(message, response, request, next)
      return
    }
    wait(socket, () => {
      // Responses to other clients must not wait for this request.
      sendAll()
      // Makes `deliver` send the response immediately, because Node closes a connection as soon as it reads the end of the
      // client's data.
      lastSocket = socket
      // Middleware in front may have responded meanwhile.
      if (!response.headersSent && !socket.destroyed) answer(message, response, request, next)
    })
  }

  function answer(
    message: IncomingMessage,
    response: ServerResponse,
    request: NodeRequest,
    next: Next | undefined,
  ): void {
    let apiResponse: ApiResponse | Promise<ApiResponse> | undefined
    try {
      apiResponse = sandbox.answer(request)
      if (!(apiResponse instanceof Promise)) options.onResponse?.(request, apiResponse)
    } catch (error) {
      failWith(error, response, next)
      if (apiResponse && !(apiResponse instanceof Promise)) awaitEnd(response, apiResponse)
      return
    }
    if (apiResponse instanceof Promise) {
      void answerLater(apiResponse, { message, response, request, next })
      return
    }
    deliver(apiResponse, { message, response, next })
  }

  async function answerLater(promised: Promise<ApiResponse>, exchange: Exchange): Promise<void> {
    const { request, response, next } = exchange
    let apiResponse: ApiResponse | undefined
    try {
      apiResponse = await promised
      options.onResponse?.(request, apiResponse)
      // The client may have disconnected meanwhile.
      if (response.destroyed) apiResponse.onEnd?.('aborted')
      else deliver(apiResponse, exchange)
    } catch (error) {
      failWith(error, response, next)
      if (apiResponse) awaitEnd(response, apiResponse)
    }
  }

  function deliver(
    apiResponse: ApiResponse,
    { message, response, next }: Omit<Exchange, 'request'>,
  ): void {
    if (apiResponse.wire) {
      awaitClose(response, apiResponse)
      sendWithFault(message, response, apiResponse).catch((error) =>
        failWith(error, response, next),
      )
      return
    }
    const isHead = message.method === 'HEAD'
    // If the last response went to the same connection, other clients are probably idle, and waiting for them would only delay
    // this response.
    const isAlone = message.socket === lastSocket
    lastSocket = message.socket
    // A client that is still sending its body must receive the response before the connection is closed.
    const sendNow = () => send(response, apiResponse, isHead, next)
    if (isAlone || hasBody(message) || response.headersSent) sendNow()
    else sendSoon(response, apiResponse, sendNow)
  }
}

/**
 * Node's `setImmediate`, because Jest's jsdom has no global one. Saved at import, so that fake timers of a test cannot delay
 * responses.
 */
const { setImmediate } = timers

let unsent: (() => void)[] = []

/**
 * Sends a response at the end of this turn of the event loop, together with all others that are ready by then. Waking their
 * clients together saves processor time: with 32 connections, a seventh per request.
 */
function sendSoon(response: ServerResponse, apiResponse: ApiResponse, sendNow: () => void): void {
  if (unsent.length === 0) setImmediate(sendAll)
  unsent.push(() => {
    // Middleware in front, such as a timeout handler, may have responded meanwhile.
    if (response.headersSent) apiResponse.onEnd?.('aborted')
    else sendNow()
  })
}

function sendAll(): void {
  const sendings = unsent
  unsent = []
  notify(sendings, undefined)
}

/** By connection, the last response that was queued behind earlier responses. */
const lastQueued = new WeakMap<Duplex, ServerResponse>()

/** Calls `step` after all responses that are ready on a connection have been sent. */
export function afterResponses(connection: Duplex, step: () => void): void {
  sendAll()
  const response = lastQueued.get(connection)
  if (response && !response.writableFinished) response.once('close', step)
  else step()
}

function send(
  response: ServerResponse,
  apiResponse: ApiResponse,
  isHead: boolean,
  next: Next | undefined,
): void {
  const { headersSent: isBegun } = response
  try {
    if (response.socket === null) lastQueued.set(response.req.socket, response)
    writeHead(response, apiResponse)
    if (isHead) response.end()
    else endWith(response, toBuffer(apiResponse.body))
  } catch (error) {
    // An application that began the response itself can catch the error.
    if (isBegun && !next) throw error
    failWith(error, response, next)
  } finally {
    awaitEnd(response, apiResponse)
  }
}

/**
 * Calls `onEnd` at the end of a response. Usually the operating system already has all bytes, and no listener is needed. A
 * listener for every response would take a tenth of the processor time of a response.
 */
function awaitEnd(response: ServerResponse, apiResponse: ApiResponse): void {
  const { onEnd } = apiResponse
  if (!onEnd) return
  const { socket, destroyed, writableEnded, req } = response
  // Streams of HTTP/2 share a socket. A response that waits for earlier responses has no socket yet.
  const hasOwnSocket = req.httpVersionMajor === 1 && socket !== null
  if (destroyed || (hasOwnSocket && socket.destroyed)) onEnd('aborted')
  else if (hasOwnSocket && writableEnded && socket.writableLength === 0) onEnd('sent')
  else awaitClose(response, apiResponse)
}

/** By connection, a callback for each unfinished response, to call if the connection closes. */
const openResponses = new WeakMap<Duplex, Set<() => void>>()

/** Calls `onEnd` when a response is sent or its connection closes. */
function awaitClose(response: ServerResponse, { onEnd }: ApiResponse): void {
  if (!onEnd) return
  if (response.req.httpVersionMajor > 1) {
    response.once('close', () => onEnd(response.writableEnded ? 'sent' : 'aborted'))
    return
  }
  // When a connection closes, Node does not notify responses that wait for earlier ones.
  const { socket } = response.req
  const open = openResponses.get(socket) ?? new Set()
  if (!openResponses.has(socket)) {
    openResponses.set(socket, open)
    socket.once('close', () => notify(open, undefined))
  }
  const abort = (): void => onEnd('aborted')
  open.add(abort)
  response.once('finish', () => {
    open.delete(abort)
    onEnd('sent')
  })
}

function writeHead(response: ServerResponse, { status, headers, body }: ApiResponse): void {
  // Built field by field, because Node would spend a quarter of the time of a response on a spread object.
  const head: Record<string, string | number> = {}
  for (const name of Object.keys(headers)) head[name] = headers[name] ?? ''
  head['Content-Length'] = body.byteLength
  response.writeHead(status, head)
}

/** Up to this size, copying a body is faster than a second write. */
const MAXIMUM_COPIED_BYTES = 2 ** 12

function endWith(response: ServerResponse, body: Buffer): void {
  // Node writes the head and a string in one piece, but the head and a Buffer in two.
  if (body.byteLength <= MAXIMUM_COPIED_BYTES && isAscii(body))
    response.end(body.toString('latin1'), 'latin1')
  else response.end(body)
}

/** Returns a Buffer that shares the memory of a body. */
function toBuffer({ buffer, byteOffset, byteLength }: ApiResponse['body']): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Sends a response with the effects of its wire fault. Stops when the client or the server closes the connection. */
async function sendWithFault(
  message: IncomingMessage,
  response: ServerResponse,
  apiResponse: ApiResponse,
): Promise<void> {
  const { body, wire = {}, followsTimers } = apiResponse
  const { delayMs = 0, bodyMs, bodyShare, end, ...rest } = wire
  requireHandled(rest)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const pausing = { signal: gone.signal, followsTimers }
  if (delayMs > 0) await pause(delayMs, pausing)
  if (response.destroyed) return
  if (isSilent({ bodyShare, end })) {
    await untilAborted(gone.signal)
    return
  }
  if (end === 'reset') {
    resetConnection(message.socket)
    return
  }
  writeHead(response, apiResponse)
  if (message.method !== 'HEAD') {
    response.flushHeaders()
    const pieces = toPieces(body, { bodyMs, bodyShare, end }, pausing)
    for await (const piece of pieces) await write(response, piece)
    if (end === 'silence') {
      await untilAborted(gone.signal)
      return
    }
    if (end === 'truncated') response.destroy()
  }
  response.end()
}

/** Resolves when the piece has been sent, or can no longer be sent. */
function write(response: ServerResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => resolve())
  })
}

const tcpSockets = new WeakMap<Socket, Socket>()

/** Remembers the TCP socket below a TLS socket, because only a TCP socket can be reset. */
export function rememberTcpSocket(tlsSocket: Socket, tcpSocket: Socket): void {
  tcpSockets.set(tlsSocket, tcpSocket)
}

/** Resets the TCP connection of a socket, or closes a socket that has none. */
function resetConnection(socket: Socket): void {
  const bare = 'encrypted' in socket ? tcpSockets.get(socket) : socket
  if (bare?.remoteFamily === undefined) socket.destroy()
  else bare.resetAndDestroy()
}
