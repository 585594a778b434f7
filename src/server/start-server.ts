import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLocalHost, isLoopback } from '../contract/addresses.ts'
import { API_DOCUMENT_PATH, CONTROL_PREFIX } from '../control-api/prefix.ts'
import { GAPS_HEADER } from '../engine/gaps-header.ts'
import {
  AdminKey,
  DEFAULT_HOST,
  DEFAULT_PORT,
  Host,
  Origins,
  Port,
  PublicUrl,
  StateFile,
} from './server-options.ts'
import { OptionError } from '../world/option-error.ts'
import { parseOption, Switch } from '../world/parse-option.ts'
import { requireKnown } from '../world/require-known.ts'
import { failWith } from '../adapters/fail-with.ts'
import { TrustedHops } from '../adapters/trusted-hops.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import { WORLD_OPTION_NAMES } from '../world/options.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import type { ControlAppOptions } from './control-app.ts'
import { middleware, splitTarget, toApiRequest } from '../adapters/node.ts'
import type { Middleware, MiddlewareOptions } from '../adapters/node.ts'
import { inOrder } from '../adapters/turns.ts'
import { sendApiDocument } from './api-document.ts'
import { answerClientError, close, listen, toUrlHost } from './http-server.ts'
import { linkReportPages, withReportPages } from './report-links.ts'
import { keepState } from './state-file.ts'
import type { KeptState } from './state-file.ts'
import type { GetResponse, MswHandler } from '../adapters/user-handlers.ts'

export interface ServerOptions extends SandboxOptions, MiddlewareOptions {
  /** The port to listen on: 4010 where omitted; 0 picks a free one. */
  port?: number
  /** The address to listen on: 127.0.0.1 where omitted. */
  host?: string
  /** The key of the control API, for an address that others can reach, and behind a proxy. */
  adminKey?: string
  /** Whether the control API is on; true where omitted. Without it, only its health check responds. */
  control?: boolean
  /** Whether the root is a web page for browsers, the console; true where omitted. It needs the control API. */
  console?: boolean
  /**
   * The URL at which clients reach the server, such as that of a proxy: links to the pages of reports, and to other pages
   * of lists, begin with it. The origin of each request if omitted, as its `Host` header names it.
   */
  publicUrl?: string
  /** Origins whose pages may call the API, or `*`. None where omitted. */
  cors?: string | readonly string[]
  /** Your own request handlers of msw 2 or 3, which are tried before the API. */
  handlers?: readonly MswHandler[]
  /**
   * A file that keeps the world across restarts. Where it exists, the server continues from it, and a reset
   * returns to the fixtures, `now` and `frozen`. It contains bearer values.
   */
  state?: string
  /**
   * Called with a sentence where the state cannot be saved although no command waits for that: at the start, on a full
   * disk, and when another server has taken over its file. The server continues.
   */
  onStateError?: (message: string) => void
  /** The `getResponse` of the msw that created the handlers; that of the installed msw where omitted. */
  getResponse?: GetResponse
}

export interface SandboxServer {
  /** Scheme, host and port; the API is at `/api/v1` below it. */
  url: string
  port: number
  sandbox: Sandbox
  /** The address that it listens on. */
  host: string
  /** The URL of the control API, and whether it requires the admin key; undefined where it is off. */
  control?: { url: string; needsKey: boolean } | undefined
  /** The URL of the console; undefined where it is off. */
  console?: string | undefined
  /** The state file; undefined without one. */
  state?: Pick<KeptState, 'file' | 'of' | 'repairs'> | undefined
  /** Stops listening and lets responses under way finish, within a second. Rejects where the state cannot be saved. */
  close: () => Promise<void>
}

/** The options of a server besides those of its sandbox; the compiler requires this to be complete. */
const SERVER_OPTIONS = {
  port: true,
  host: true,
  adminKey: true,
  control: true,
  console: true,
  publicUrl: true,
  cors: true,
  trustProxy: true,
  onAnswer: true,
  handlers: true,
  getResponse: true,
  state: true,
  onStateError: true,
} as const satisfies Record<Exclude<keyof ServerOptions, keyof SandboxOptions>, true>

const OPTION_NAMES = [...WORLD_OPTION_NAMES, ...Object.keys(SERVER_OPTIONS)]

/**
 * Serves a sandbox over HTTP: the API at `/api/v1`, its OpenAPI document at `/openapi.json`, the control API at
 * `/_sandbox`, the pages that the links of reports lead to at `/reports`, and to browsers the console at `/`.
 *
 * @throws FixtureError, OptionError (also for a state that cannot be read or saved), and ServerError when
 *   it cannot listen on the address.
 */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  await options.fixtures
  const sandbox = await createSandbox(toSandboxOptions(options, 'startServer'))
  return serveSandbox(sandbox, options)
}

/** The options of the sandbox among those of a server that `source` is given. @throws OptionError for an unknown one. */
export function toSandboxOptions(options: ServerOptions, source: string): SandboxOptions {
  for (const name of Object.keys(options)) requireKnown(name, OPTION_NAMES, source)
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in SERVER_OPTIONS)))
}

/**
 * Serves an existing sandbox.
 *
 * @throws OptionError, and ServerError when it cannot listen on the address.
 */
export async function serveSandbox(
  sandbox: Sandbox,
  options: Omit<ServerOptions, Exclude<keyof SandboxOptions, 'showGaps'>>,
): Promise<SandboxServer> {
  const address = {
    port: parseOption(Port, options.port ?? DEFAULT_PORT, 'port'),
    host: parseOption(Host, options.host ?? DEFAULT_HOST, 'host'),
  }
  const access = readAccess(address.host, options)
  // A client may send it to the API by mistake.
  if (access.adminKey !== undefined) sandbox.world.options.givenValues.addForGood(access.adminKey)
  const hasConsole = parseOption(Switch, options.console ?? true, 'console') && !access.isOff
  const api = await createApi(sandbox, { ...options, console: hasConsole })
  const file =
    options.state === undefined ? undefined : parseOption(StateFile, options.state, 'state')
  const onError = ({ message }: Error) => options.onStateError?.(message)
  const state = file === undefined ? undefined : await keepState(sandbox.world, file, { onError })
  const control = lazyControl(sandbox, { ...access, settled: state?.settled })
  const server = createServer(createListener({ api, control }))
  server.on('clientError', answerClientError)
  try {
    await listen(server, address)
    await state?.begin()
  } catch (error) {
    await close(server)
    await state?.release()
    throw error
  }
  const bound = server.address() as AddressInfo
  const url = `http://${toUrlHost(address.host)}:${bound.port}`
  return {
    url,
    host: bound.address,
    port: bound.port,
    sandbox,
    control: access.isOff
      ? undefined
      : { url: `${url}${CONTROL_PREFIX}`, needsKey: access.adminKey !== undefined },
    console: hasConsole ? `${url}/` : undefined,
    state: state && { file: state.file, of: state.of, repairs: state.repairs },
    close: async () => {
      await close(server)
      await state?.close()
    },
  }
}

/**
 * Who has access to the control API.
 *
 * @throws OptionError where others could control the sandbox without a key.
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
    `Others can reach ${host}, and could control the sandbox there. Set an admin key (--admin-key), or close the control API (--no-control).`,
  )
}

/** The API, the pages that it links to, its document and the console, with the user's own handlers and CORS in front of them. */
async function createApi(sandbox: Sandbox, options: ServerOptions): Promise<Middleware> {
  const { cors, publicUrl, trustProxy = 0, onAnswer, showGaps = false } = options
  const origins = cors === undefined ? undefined : parseOption(Origins, cors, 'cors')
  const url = publicUrl === undefined ? undefined : parseOption(PublicUrl, publicUrl, 'publicUrl')
  const linked = linkReportPages(sandbox, url)
  const answers = middleware(linked, { trustProxy, ...(onAnswer && { onAnswer }) })
  const documented = withDocument(withReportPages(answers, sandbox))
  const api = options.console === true ? withConsole(documented) : documented
  const answering = options.handlers ? await withUserHandlers(api, options) : api
  return origins ? withCors(answering, origins, showGaps ? [GAPS_HEADER] : []) : answering
}

/** The control API handles its prefix; the API handles or refuses everything else. */
function createListener(handlers: { api: Middleware; control: RequestListener }): RequestListener {
  return (request, response) => {
    const { path, query } = splitTarget(request.url ?? '/')
    const isControl = path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)
    if (!isControl) {
      handlers.api(request, response)
      return
    }
    // Express cannot parse every target in absolute form. What it names must be this machine too.
    const [, host] = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '') ?? []
    if (host !== undefined && !isLocalHost(host)) request.headers.host = host
    request.url = query === '' ? path : `${path}?${query}`
    inOrder(request.socket, () => handlers.control(request, response))
  }
}

/** The API, and to a GET or HEAD of its path the document that describes it. */
function withDocument(api: Middleware): Middleware {
  return (request, response) => {
    const { method, url = '/' } = request
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && splitTarget(url).path === API_DOCUMENT_PATH)
      inOrder(request.socket, () => void sendApiDocument(request, response))
    else api(request, response)
  }
}

/** The API, and to browsers that open `/` the console; its code is loaded when one does. */
function withConsole(api: Middleware): Middleware {
  return (request, response) => {
    const { path } = splitTarget(request.url ?? '/')
    if (path !== '/' && !path.startsWith('/console/')) {
      api(request, response)
      return
    }
    const answer = async (): Promise<void> => {
      const { sendConsoleFile } = await import('./console-page.ts')
      if (!(await sendConsoleFile(request, response, path))) api(request, response)
    }
    inOrder(request.socket, () => void answer().catch((error) => failWith(error, response)))
  }
}

/** The API with CORS: preflights are handled before it, and not counted (G-029, G-054). */
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

/** The API with the user's own handlers in front of it; their adapter is loaded on demand. */
async function withUserHandlers(
  api: Middleware,
  { handlers = [], getResponse, trustProxy = 0, onAnswer }: ServerOptions,
): Promise<Middleware> {
  const { withHandlers } = await import('../adapters/user-handlers.ts')
  const hops = parseOption(TrustedHops, trustProxy, 'trustProxy')
  return withHandlers(api, {
    handlers,
    getResponse,
    onAnswer: (message, { status }) =>
      onAnswer?.(toApiRequest(message, hops), { status, isOverride: true }),
  })
}

/** The control API, loaded with its framework at its first request. */
function lazyControl(sandbox: Sandbox, options: ControlAppOptions): RequestListener {
  let app: Promise<RequestListener> | undefined
  const load = async (): Promise<RequestListener> => {
    const { createControlApp } = await import('./control-app.ts')
    return createControlApp(sandbox, options)
  }
  return async (request: IncomingMessage, response: ServerResponse) => {
    app ??= load()
    const control = await app
    control(request, response)
  }
}
