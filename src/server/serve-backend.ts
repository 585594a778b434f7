import type { AddressInfo } from 'node:net'
import { TrustedHops } from '../adapters/trusted-hops.ts'
import { isLoopback } from '../contract/addresses.ts'
import { CONTROL_PREFIX } from '../control-api/prefix.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseOption, Switch } from '../world/options/parse-option.ts'
import type { SandboxOptions } from '../sandbox/sandbox.ts'
import type { World } from '../world/world.ts'
import type { ControlOptions } from './control-handler.ts'
import type { Backend } from './backend.ts'
import { withLayers } from './layers.ts'
import type { LayerOptions } from './layers.ts'
import { createListener } from './listener.ts'
import {
  AdminKeyOption,
  DEFAULT_HOST,
  DEFAULT_PORT,
  HostOption,
  PortOption,
  PublicUrlOption,
} from './server-options.ts'
import type { ServerOptions } from './server-options.ts'
import type { Metrics } from './metrics.ts'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout, clearTimeout } from '../contract/timers.ts'
import { afterResponses } from '../adapters/node.ts'
import { inRequestOrder } from '../adapters/response-order.ts'
import { ServerError } from './server-error.ts'

/** A running server, with worlds of its own or of a store. */
export interface RunningServer {
  /** Scheme, host and port; the API is at `/api/v1` below it. */
  url: string
  port: number
  /** The address that it listens on. */
  host: string
  /** The URL of the control API, with `needsKey` true if it requires the admin key; undefined if the API is off. */
  control?: { url: string; needsKey: boolean } | undefined
  /** The URL of the console; undefined where it is off. */
  console?: string | undefined
  /** The default world; with a store as it was created. */
  world: World
  /** The world that answers a request; undefined where it is not in memory. */
  worldOf: Backend['worlds']['worldOf']
  /** Stops listening, and gives responses under way half a second to finish; with a store it takes up to ten seconds in all. */
  close: () => Promise<void>
}

/** Options for serving a backend, besides the user's. */
interface Serving {
  head?: HeadLimit
  /** Time that responses under way may take when the server stops, in milliseconds; `GRACE_MS` if omitted. */
  graceMs?: number
  settled?: ControlOptions['settled']
  metrics?: Metrics | undefined
}

/** Who has access to the control API. */
export interface Access extends Pick<ControlOptions, 'adminKey' | 'isOff'> {
  /** The address that the server listens on. */
  listensOn: string
}

/** @throws OptionError, and ServerError when it cannot listen on the address. */
export async function serveBackend(
  backend: Backend,
  access: Access,
  options: Omit<ServerOptions, Exclude<keyof SandboxOptions, 'showGaps'>>,
  { head = USUAL_HEAD, graceMs, settled, metrics }: Serving = {},
): Promise<RunningServer> {
  const address = {
    port: parseOption(PortOption, options.port ?? DEFAULT_PORT, 'port'),
    host: access.listensOn,
  }
  const hasConsole = parseOption(Switch, options.console ?? true, 'console') && !access.isOff
  const { publicUrl, trustProxy = 0 } = options
  const { listensOn: _, ...control } = access
  const serving: LayerOptions = {
    ...options,
    hasConsole,
    metrics,
    control: {
      ...control,
      settled,
      metrics: metrics && (() => metrics.read()),
      publicUrl:
        publicUrl === undefined ? undefined : parseOption(PublicUrlOption, publicUrl, 'publicUrl'),
      hops: parseOption(TrustedHops, trustProxy, 'trustProxy'),
    },
  }
  const listener = await withLayers(createListener(backend, serving), serving)
  const server = createHttpServer(listener, head)
  metrics?.watch(backend)
  try {
    await listen(server, address)
  } catch (error) {
    await close(server)
    throw error
  }
  const bound = server.address() as AddressInfo
  const url = `http://${toUrlHost(address.host)}:${bound.port}`
  return {
    url,
    world: backend.world,
    worldOf: (request) => backend.worlds.worldOf(request),
    host: bound.address,
    port: bound.port,
    control: access.isOff
      ? undefined
      : { url: `${url}${CONTROL_PREFIX}`, needsKey: access.adminKey !== undefined },
    console: hasConsole ? `${url}/` : undefined,
    close: () => close(server, graceMs),
  }
}

/**
 * Who has access to the control API of a server with these options.
 *
 * @throws OptionError where others could control the worlds without a key.
 */
export function readAccess({
  host: given = DEFAULT_HOST,
  adminKey,
  control = true,
}: Pick<ServerOptions, 'host' | 'adminKey' | 'control'>): Access {
  const host = parseOption(HostOption, given, 'host')
  const key = adminKey === undefined ? undefined : parseOption(AdminKeyOption, adminKey, 'adminKey')
  const isOff = !parseOption(Switch, control, 'control')
  if (isOff || key !== undefined || isLoopback(host)) {
    return { listensOn: host, adminKey: key, isOff }
  }
  throw new OptionError(
    `Others can reach ${host} and could control the sandbox there: set an admin key (SEO_SANDBOX_ADMIN_KEY, or --admin-key), or close the control API (--no-control).`,
  )
}

/** Maximum size of the URL and the headers of a request, and the header by which a refusal names its source. */
interface HeadLimit {
  kilobytes: number
  /** A header of the refusal. */
  refusedBy?: readonly [name: string, value: string]
}

/** The limit of Node, and of most servers. */
const USUAL_HEAD: HeadLimit = { kilobytes: 16 }

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
    inRequestOrder(socket, () =>
      afterResponses(socket, () => respondWithError(code, socket, limit)),
    )
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
function createHttpServer(listener: RequestListener, head: HeadLimit): Server {
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
  inRequestOrder(response.req.socket, () => {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Connection: 'close',
    })
    response.end(body)
  })
}

/** Listens on an address. @throws ServerError where that is not possible. */
async function listen(
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
async function close(server: Server, graceMs = GRACE_MS): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(deadline)
}

/** The host to use in URLs on this machine for the address that a server listens on. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
