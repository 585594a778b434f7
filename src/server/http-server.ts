import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout, clearTimeout } from '../contract/timers.ts'
import { afterResponses } from '../adapters/node.ts'
import { inOrder } from '../adapters/turns.ts'
import { ServerError } from './server-error.ts'

/** How large the URL and the headers of a request may be, and who refuses more. */
export interface HeadLimit {
  kilobytes: number
  /** A header of the refusal. */
  refusedBy?: readonly [name: string, value: string]
}

/** What Node accepts, like most servers. */
export const USUAL_HEAD: HeadLimit = { kilobytes: 16 }

const CLIENT_ERRORS: Record<string, [status: string, sentence: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The URL and headers are too long. Send less than {limit} KB.',
  ],
  HPE_INVALID_URL: [
    '400 Bad Request',
    'The URL has a character that HTTP does not allow. Percent-encode it.',
  ],
}

/** Parser errors that may occur while a response is under way, which a second one would corrupt. */
const AFTER_THE_HEAD = /CLOSED|CHUNK|EOF/

/** Responds with an error sentence to a message that is not valid HTTP, where the connection can still carry one. */
function createErrorListener(limit: HeadLimit): (error: Error, socket: Duplex) => void {
  // Responses to earlier, valid requests come first.
  return ({ code = '' }: NodeJS.ErrnoException, socket) =>
    inOrder(socket, () => afterResponses(socket, () => respondWithError(code, socket, limit)))
}

function respondWithError(code: string, socket: Duplex, { kilobytes, refusedBy }: HeadLimit): void {
  if (!code.startsWith('HPE_') || AFTER_THE_HEAD.test(code) || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = CLIENT_ERRORS[code] ?? [
    '400 Bad Request',
    'This is not an HTTP request that can be read.',
  ]
  const body = JSON.stringify({ message: message.replace('{limit}', String(kilobytes)) })
  const headers = [
    ['Content-Type', 'application/json'],
    ['Content-Length', body.length],
    ...(code === 'HPE_HEADER_OVERFLOW' && refusedBy ? [refusedBy] : []),
    ['Connection', 'close'],
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
}

/** A server that refuses each request it cannot serve with an error sentence. */
export function createHttpServer(listener: RequestListener, head: HeadLimit): Server {
  const server = createServer(
    // Node's own refusal of a request without Host has no body.
    { maxHeaderSize: head.kilobytes * 1024, requireHostHeader: false },
    (request, response) => {
      if (hasValidHost(request)) listener(request, response)
      else sendRefusal(response, 400, HOST)
    },
  )
  server.on('checkExpectation', (_, response) => sendRefusal(response, 417, EXPECT))
  server.on('clientError', createErrorListener(head))
  return server
}

const HOST = 'A request needs exactly one Host header.'
const EXPECT = 'Only Expect: 100-continue is supported. Leave the header out.'

/** True for exactly one Host header (RFC 9112, 3.2); HTTP/1.0 may have none. */
function hasValidHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === HOST_LENGTH && name.toLowerCase() === 'host') count += 1
  }
  return count === 1 || (count === 0 && httpVersion === '1.0')
}

const HOST_LENGTH = 4

function sendRefusal(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ message })
  inOrder(response.req.socket, () => {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Connection: 'close',
    })
    response.end(body)
  })
}

/** Listens on an address. @throws ServerError where that is not possible. */
export async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toServerError(error, port, host)))
    server.listen(port, host, resolve)
  })
}

function toServerError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ServerError(
        `Port ${port} is already in use. Stop the program that uses it, or choose another port (0 picks a free one).`,
      )
    case 'EACCES':
      return new ServerError(`Port ${port} needs higher privileges. Choose one from 1024 up.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ServerError(
        `${host} is not an address of this machine. Listen on 127.0.0.1 or 0.0.0.0.`,
      )
    default:
      return error
  }
}

const GRACE_MS = 500

/** Stops listening, and gives responses under way some time to finish. */
export async function close(server: Server, graceMs = GRACE_MS): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(deadline)
}

/** The host to use in URLs on this machine for the address that a server listens on. */
export function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
