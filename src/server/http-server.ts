import { createServer } from 'node:http'
import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions as HttpServerOptions,
  ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { MINUTE_MS } from '../contract/time.ts'
import { afterResponses } from '../adapters/node.ts'
import { inRequestOrder } from '../adapters/response-order.ts'
import type { Credentials } from './https.ts'
import type { ServerOptions } from './server-options.ts'

/** Limit on the URL and headers of a request. */
export interface HeadLimit {
  kilobytes: number
  /** Header that names the source of a refusal. */
  refusedBy?: readonly [name: string, value: string]
}

/** The default limit of Node. */
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

/** Codes of parser errors after the head of a request. A response may then be in progress, and a second one would corrupt it. */
const AFTER_THE_HEAD = /CLOSED|CHUNK|EOF/

/** Creates a listener that responds to invalid HTTP with an error sentence, if the connection can still carry one. */
function createErrorListener(
  limit: HeadLimit,
  report: (error: ClientError) => void,
): (error: Error, socket: Duplex) => void {
  return (error: ClientError, socket) => {
    report(error)
    // Responses to earlier, valid requests are sent first.
    inRequestOrder(socket, () =>
      afterResponses(socket, () => respondWithError(error.code ?? '', socket, limit)),
    )
  }
}

/**
 * An error of a connection. `rawPacket` has the bytes that the HTTP parser rejected; undefined for an error that is not the
 * parser's.
 */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Uint8Array }

/**
 * Returns a listener that reports the reason why a client could not connect. Reports each reason at most once a minute, because
 * clients retry.
 */
function createReporter(
  onConnectionError: ServerOptions['onConnectionError'] | undefined,
): (error: ClientError) => void {
  const reportedMs = new Map<string, number>()
  return (error) => {
    const sentence = onConnectionError && explainConnection(error)
    if (sentence === undefined) return
    const nowMs = performance.now()
    if (nowMs - (reportedMs.get(sentence) ?? -Infinity) < MINUTE_MS) return
    reportedMs.set(sentence, nowMs)
    onConnectionError?.(sentence)
  }
}

function explainConnection({
  code = '',
  rawPacket = new Uint8Array(),
}: ClientError): string | undefined {
  const [type, version] = rawPacket
  if (code.startsWith('HPE_') && type === HANDSHAKE && version === TLS) return SPOKE_TLS
  if (code === 'ERR_SSL_HTTP_REQUEST') return SPOKE_HTTP
  return /_ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN)$/.test(code)
    ? DISTRUSTED
    : undefined
}

/** First byte from a client that speaks TLS: the type of the record. */
const HANDSHAKE = 22
/** Second byte from a client that speaks TLS: the major version. */
const TLS = 3

const SPOKE_TLS = 'A client spoke TLS to this port, which is plain HTTP: start with --https'
const SPOKE_HTTP = 'A client spoke plain HTTP to this port, which is HTTPS: have it use https://'
const DISTRUSTED =
  'A client did not trust the certificate of this server: give it the CA certificate'

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

interface HttpOptions {
  head: HeadLimit
  onConnectionError: ServerOptions['onConnectionError'] | undefined
  /** Undefined for plain HTTP. */
  credentials: Credentials | undefined
}

/** Creates a server that responds with an error sentence to each request that it cannot serve. */
export async function createHttpServer(
  listener: RequestListener,
  { head, credentials, onConnectionError }: HttpOptions,
): Promise<Server> {
  // Checked by `hasValidHost` instead, because Node's own refusal has no body.
  const options = { maxHeaderSize: head.kilobytes * 1024, requireHostHeader: false }
  const listen: RequestListener = (request, response) => {
    if (hasValidHost(request)) listener(request, response)
    else sendRefusal(response, 400, HOST)
  }
  const server = credentials
    ? await openHttpsServer(credentials, options, listen)
    : createServer(options, listen)
  server.on('checkExpectation', (_, response) => sendRefusal(response, 417, EXPECT))
  server.on('clientError', createErrorListener(head, createReporter(onConnectionError)))
  return server
}

async function openHttpsServer(
  { cert, key }: Credentials,
  options: HttpServerOptions,
  listen: RequestListener,
): Promise<Server> {
  const { HttpsServer } = await import('./https.ts')
  return new HttpsServer({ ...options, cert, key }, listen)
}

const HOST = 'A request needs exactly one Host header.'
const EXPECT = 'Only Expect: 100-continue is supported. Leave the header out.'

/** True if a request has exactly one Host header (RFC 9112, 3.2); HTTP/1.0 may have none. */
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
  inRequestOrder(response.req.socket, () => {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Connection: 'close',
    })
    response.end(body)
  })
}
