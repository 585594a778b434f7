import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isApiPath } from '../contract/conventions.ts'
import { CONTROL_PREFIX } from '../control/control-routes.ts'
import { Host, Origins, parseOption, Port, SERVE_OPTIONS } from '../options.ts'
import { createSandbox } from '../sandbox.ts'
import type { Sandbox, SandboxOptions } from '../sandbox.ts'
import { middleware, splitTarget } from './node.ts'
import type { Middleware, MiddlewareOptions } from './node.ts'
import { ServerError } from './server-error.ts'

export interface ServerOptions extends SandboxOptions, MiddlewareOptions {
  /** The port to listen on: 4010 where omitted; 0 picks a free one. */
  port?: number
  /** The address to listen on: 127.0.0.1 where omitted. */
  host?: string
  /** Origins whose pages may call the API, or `*`. None where omitted. */
  cors?: string | readonly string[]
}

export interface SandboxServer {
  /** Scheme, host and port; the API is at `/api/v1` below it. */
  url: string
  port: number
  sandbox: Sandbox
  /** Stops listening, lets answers under way finish, and is done within a second. */
  close: () => Promise<void>
}

/**
 * Serves a sandbox over HTTP: the API at `/api/v1`, its control at `/_sandbox`.
 *
 * @throws FixtureError, OptionError, and ServerError when the address cannot be listened on.
 */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  const { port, host, cors, trustProxy, onAnswer, ...sandboxOptions } = options
  await sandboxOptions.fixtures
  const address = {
    port: parseOption(Port, port ?? SERVE_OPTIONS.port.default, 'port'),
    host: parseOption(Host, host ?? SERVE_OPTIONS.host.default, 'host'),
  }
  const origins = cors === undefined ? undefined : parseOption(Origins, cors, 'cors')
  const sandbox = await createSandbox(sandboxOptions)
  const api = middleware(sandbox, {
    ...(trustProxy === undefined ? {} : { trustProxy }),
    ...(onAnswer === undefined ? {} : { onAnswer }),
  })
  const server = createServer(
    createListener({
      api: origins ? await withCors(api, origins) : api,
      control: lazyControl(sandbox, address.host),
    }),
  )
  await listen(server, address)
  const bound = server.address() as AddressInfo
  return {
    url: `http://${toUrlHost(address.host)}:${bound.port}`,
    port: bound.port,
    sandbox,
    close: () => close(server),
  }
}

function createListener(handlers: { api: Middleware; control: RequestListener }): RequestListener {
  return (request, response) => {
    const { path } = splitTarget(request.url ?? '/')
    if (isApiPath(path)) handlers.api(request, response)
    else if (path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)) {
      handlers.control(request, response)
    } else {
      answerElsewhere(response)
    }
  }
}

function answerElsewhere(response: ServerResponse): void {
  const message = `Nothing is here. The API is at /api/v1, its control at ${CONTROL_PREFIX}.`
  response.writeHead(404, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ message }))
}

/** The API for pages of other origins: preflights are answered ahead of it, and not counted (G-029, G-054). */
async function withCors(api: Middleware, origins: string[]): Promise<Middleware> {
  const { default: cors } = await import('cors')
  const allow = cors({
    origin: origins.includes('*') ? '*' : origins,
    methods: ['GET', 'HEAD'],
  })
  return (request, response) => {
    const isPreflight = 'access-control-request-method' in request.headers
    if (request.method === 'OPTIONS' && !isPreflight) api(request, response)
    else allow(request, response, () => api(request, response))
  }
}

/** The control API, loaded with its framework when it is first asked. */
function lazyControl(sandbox: Sandbox, host: string): RequestListener {
  let app: Promise<RequestListener> | undefined
  const load = async (): Promise<RequestListener> => {
    const { createControlApp } = await import('./express.ts')
    return createControlApp(sandbox, host)
  }
  return async (request: IncomingMessage, response: ServerResponse) => {
    app ??= load()
    const control = await app
    control(request, response)
  }
}

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
      return new ServerError(`Port ${port} needs more rights. Choose one from 1024 up.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ServerError(
        `${host} is not an address of this machine. Listen on 127.0.0.1 or 0.0.0.0.`,
      )
    default:
      return error
  }
}

const GRACE_MS = 500

/** Taken at import, so that fake timers of a test cannot hold up a server that closes. */
const { setTimeout, clearTimeout } = globalThis

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearTimeout(deadline)
}

/** How a client on this machine names the address that a server listens on. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
