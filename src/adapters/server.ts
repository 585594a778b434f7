import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { isLoopback } from '../contract/addresses.ts'
import { CONTROL_PREFIX } from '../control/prefix.ts'
import { GAPS_HEADER } from '../control/gap-list.ts'
import {
  AdminKey,
  Host,
  OptionError,
  Origins,
  parseOption,
  Port,
  requireKnown,
  SERVE_OPTIONS,
  StateFile,
  Switch,
  TrustedHops,
} from '../options.ts'
import { createSandbox, SANDBOX_OPTION_NAMES } from '../sandbox.ts'
import type { Sandbox, SandboxOptions } from '../sandbox.ts'
import type { ControlAppOptions } from './express.ts'
import { middleware, sendAll, splitTarget, toApiRequest } from './node.ts'
import type { Middleware, MiddlewareOptions } from './node.ts'
import { ServerError } from './server-error.ts'
import { keepState } from './state-file.ts'
import type { KeptState } from './state-file.ts'
import type { GetResponse, MswHandler } from './user-handlers.ts'

export interface ServerOptions extends SandboxOptions, MiddlewareOptions {
  /** The port to listen on: 4010 where omitted; 0 picks a free one. */
  port?: number
  /** The address to listen on: 127.0.0.1 where omitted. */
  host?: string
  /** What opens the control API on an address that others reach, and behind a proxy. */
  adminKey?: string
  /** Whether there is a control API; there is where it is omitted. Without it only its health is answered. */
  control?: boolean
  /** Origins whose pages may call the API, or `*`. None where omitted. */
  cors?: string | readonly string[]
  /** MSW request handlers of your own, of msw 2 or 3, that are asked before the API is. */
  handlers?: readonly MswHandler[]
  /**
   * A file that keeps the world across restarts. Where it exists, the server goes on from it, whatever
   * the fixtures, `now` and `frozen` are: those are what a reset goes back to. It has bearer values.
   */
  state?: string
  /** The `getResponse` of the msw that made them; that of the installed msw where it is omitted. */
  getResponse?: GetResponse
}

export interface SandboxServer {
  /** Scheme, host and port; the API is at `/api/v1` below it. */
  url: string
  port: number
  sandbox: Sandbox
  /** Where the control API is, and whether it is closed without the admin key; undefined where it is off. */
  control?: { url: string; needsKey: boolean } | undefined
  /** The file that keeps the world; undefined without one. */
  state?: Pick<KeptState, 'file' | 'of'> | undefined
  /** Stops listening, lets answers under way finish, and is done within a second. Rejects where the state could not be kept. */
  close: () => Promise<void>
}

const OPTION_NAMES = [
  ...SANDBOX_OPTION_NAMES,
  'port',
  'host',
  'adminKey',
  'control',
  'cors',
  'trustProxy',
  'onAnswer',
  'handlers',
  'getResponse',
  'state',
]

/**
 * Serves a sandbox over HTTP: the API at `/api/v1`, its control at `/_sandbox`.
 *
 * @throws FixtureError, OptionError (also for a state that cannot be read or kept), and ServerError when
 *   the address cannot be listened on.
 */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  await options.fixtures
  for (const name of Object.keys(options)) requireKnown(name, OPTION_NAMES, 'startServer')
  const ofSandbox = Object.entries(options).filter(([name]) => SANDBOX_OPTION_NAMES.includes(name))
  const sandbox = await createSandbox(Object.fromEntries(ofSandbox))
  return serveSandbox(sandbox, options)
}

/**
 * Serves a sandbox that there is already.
 *
 * @throws OptionError, and ServerError when the address cannot be listened on.
 */
export async function serveSandbox(
  sandbox: Sandbox,
  options: Omit<ServerOptions, Exclude<keyof SandboxOptions, 'showGaps'>>,
): Promise<SandboxServer> {
  const address = {
    port: parseOption(Port, options.port ?? SERVE_OPTIONS.port.default, 'port'),
    host: parseOption(Host, options.host ?? SERVE_OPTIONS.host.default, 'host'),
  }
  const access = readAccess(address.host, options)
  const api = await createApi(sandbox, options)
  const path =
    options.state === undefined ? undefined : parseOption(StateFile, options.state, 'state')
  const state = path === undefined ? undefined : await keepState(sandbox.world, path)
  const control = lazyControl(sandbox, { ...access, settled: state?.settled })
  const server = createServer(createListener({ api, control }))
  server.on('clientError', answerClientError)
  await listen(server, address)
  await state?.begin().catch(async (error: unknown) => {
    await close(server)
    throw error
  })
  const bound = server.address() as AddressInfo
  const url = `http://${toUrlHost(address.host)}:${bound.port}`
  const needsKey = !isLoopback(address.host)
  return {
    url,
    port: bound.port,
    sandbox,
    control: access.isOff ? undefined : { url: `${url}${CONTROL_PREFIX}`, needsKey },
    state: state && { file: state.file, of: state.of },
    close: async () => {
      await close(server)
      await state?.close()
    },
  }
}

/**
 * To whom the control API is open.
 *
 * @throws OptionError where others could steer the sandbox without a key.
 */
function readAccess(
  host: string,
  { adminKey, control = true }: Pick<ServerOptions, 'adminKey' | 'control'>,
): Pick<ControlAppOptions, 'listensOn' | 'adminKey' | 'isOff'> {
  const key = adminKey === undefined ? undefined : parseOption(AdminKey, adminKey, 'adminKey')
  const isOff = !parseOption(Switch, control, 'control')
  if (isOff || key !== undefined || isLoopback(host)) {
    return { listensOn: host, adminKey: key, isOff }
  }
  throw new OptionError(
    `Others can reach ${host}, and could steer the sandbox there. Set an admin key (--admin-key), or close the control API (--no-control).`,
  )
}

/** The API with what is to stand in front of it: the user's own handlers, and the rules for other origins. */
async function createApi(sandbox: Sandbox, options: ServerOptions): Promise<Middleware> {
  const { cors, trustProxy = 0, onAnswer, showGaps = false } = options
  const origins = cors === undefined ? undefined : parseOption(Origins, cors, 'cors')
  const api = middleware(sandbox, { trustProxy, ...(onAnswer && { onAnswer }) })
  const answering = options.handlers ? await withUserHandlers(api, options) : api
  return origins ? withCors(answering, origins, showGaps ? [GAPS_HEADER] : []) : answering
}

/** The control API has its prefix; everything else is the API's to answer, or to refuse. */
function createListener(handlers: { api: Middleware; control: RequestListener }): RequestListener {
  return (request, response) => {
    const { path, query } = splitTarget(request.url ?? '/')
    const isControl = path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)
    if (!isControl) {
      handlers.api(request, response)
      return
    }
    // Its framework cannot read every target that has a host.
    request.url = query === '' ? path : `${path}?${query}`
    handlers.control(request, response)
  }
}

const CLIENT_ERRORS: Record<string, [status: string, sentence: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The URL and headers are too long. Send less than 16 KB.',
  ],
  HPE_INVALID_URL: [
    '400 Bad Request',
    'The URL has a character that HTTP does not allow. Percent-encode it.',
  ],
}

/** Errors of the parser that come while an answer may be under way: another one would corrupt it. */
const AFTER_THE_HEAD = /CLOSED|CHUNK|EOF/

/** What is no HTTP gets a sentence, where the connection can still carry one. */
function answerClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  // A request before it may have been one, whose answer comes first.
  sendAll()
  if (!code.startsWith('HPE_') || AFTER_THE_HEAD.test(code) || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = CLIENT_ERRORS[code] ?? [
    '400 Bad Request',
    'This is not an HTTP request that can be read.',
  ]
  const body = JSON.stringify({ message })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** The API for pages of other origins: preflights are answered ahead of it, and not counted (G-029, G-054). */
async function withCors(
  api: Middleware,
  origins: string[],
  exposedHeaders: string[],
): Promise<Middleware> {
  const { default: cors } = await import('cors')
  const allow = cors({
    origin: origins.includes('*') ? '*' : origins,
    methods: ['GET', 'HEAD'],
    exposedHeaders,
  })
  return (request, response) => {
    const isPreflight = 'access-control-request-method' in request.headers
    if (request.method === 'OPTIONS' && !isPreflight) api(request, response)
    else allow(request, response, () => api(request, response))
  }
}

/** Handlers of the user's own ahead of the API; what turns them into HTTP is loaded only for them. */
async function withUserHandlers(
  api: Middleware,
  { handlers = [], getResponse, trustProxy = 0, onAnswer }: ServerOptions,
): Promise<Middleware> {
  const { withHandlers } = await import('./user-handlers.ts')
  const hops = parseOption(TrustedHops, trustProxy, 'trustProxy')
  return withHandlers(api, {
    handlers,
    getResponse,
    onAnswer: (message, { status }) =>
      onAnswer?.(toApiRequest(message, hops), { status, isOverride: true }),
  })
}

/** The control API, loaded with its framework when it is first asked. */
function lazyControl(sandbox: Sandbox, options: ControlAppOptions): RequestListener {
  let app: Promise<RequestListener> | undefined
  const load = async (): Promise<RequestListener> => {
    const { createControlApp } = await import('./express.ts')
    return createControlApp(sandbox, options)
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
    case 'EINVAL':
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
