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
  PemFileOption,
  PortOption,
  PublicUrlOption,
} from './server-options.ts'
import type { ServerOptions } from './server-options.ts'
import type { Metrics } from './metrics.ts'
import type { Server } from 'node:http'
import { setTimeout, clearTimeout } from '../contract/timers.ts'
import { parseUrl } from '../contract/url.ts'
import { createHttpServer, USUAL_HEAD } from './http-server.ts'
import type { HeadLimit } from './http-server.ts'
import type { Credentials } from './https.ts'
import { ServerError } from './server-error.ts'

/** A running server, with worlds of its own or those of a store. */
export interface RunningServer {
  /** Scheme, host and port; the API is at `/api/v1` below it. */
  url: string
  port: number
  /** The address that the server listens on. */
  host: string
  /**
   * The certificate of the authority that clients of the server must trust, as PEM. Undefined over plain HTTP, and with a
   * certificate of your own.
   */
  ca?: string | undefined
  /** The URL of the control API; `needsKey` is true if it requires the admin key. Undefined if the control API is off. */
  control?: { url: string; needsKey: boolean } | undefined
  /** The URL of the console; undefined if it is off. */
  console?: string | undefined
  /** The default world; with a store, in its state at creation. */
  world: World
  /** Returns the world that answers a request; undefined if it is not in memory. */
  worldOf: Backend['worlds']['worldOf']
  /**
   * Stops listening, and gives responses in progress half a second to finish. With a store, they have two seconds, and stopping
   * takes at most ten seconds in all.
   */
  close: () => Promise<void>
}

/** Options that only this package sets. */
interface Serving {
  head?: HeadLimit
  /** Maximum time for responses in progress when the server stops, in milliseconds; `GRACE_MS` if omitted. */
  graceMs?: number
  settled?: ControlOptions['settled']
  metrics?: Metrics | undefined
}

export interface Access extends Pick<ControlOptions, 'adminKey' | 'isOff'> {
  listensOn: string
}

/**
 * Serves a backend over HTTP or HTTPS.
 *
 * @throws OptionError for an invalid option, and ServerError if the server cannot listen on the address
 */
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
  const { trustProxy = 0, onConnectionError } = options
  const publicUrl =
    options.publicUrl === undefined
      ? undefined
      : parseOption(PublicUrlOption, options.publicUrl, 'publicUrl')
  const { listensOn: _, ...control } = access
  const serving: LayerOptions = {
    ...options,
    hasConsole,
    metrics,
    control: {
      ...control,
      settled,
      metrics: metrics && (() => metrics.read()),
      publicUrl,
      hops: parseOption(TrustedHops, trustProxy, 'trustProxy'),
    },
  }
  const listener = await withLayers(createListener(backend, serving), serving)
  const local = toUrlHost(address.host)
  const credentials = await openHttps(options, [`https://${local}`, publicUrl ?? ''])
  const server = await createHttpServer(listener, { head, credentials, onConnectionError })
  metrics?.watch(backend)
  try {
    await listen(server, address)
  } catch (error) {
    await close(server)
    throw error
  }
  const bound = server.address() as AddressInfo
  const url = `${credentials ? 'https' : 'http'}://${local}:${bound.port}`
  return {
    url,
    world: backend.world,
    worldOf: (request) => backend.worlds.worldOf(request),
    host: bound.address,
    port: bound.port,
    ca: credentials?.ca,
    control: access.isOff
      ? undefined
      : { url: `${url}${CONTROL_PREFIX}`, needsKey: access.adminKey !== undefined },
    console: hasConsole ? `${url}/` : undefined,
    close: () => close(server, graceMs),
  }
}

/**
 * Returns the access to the control API according to the options of a server.
 *
 * @throws OptionError for an invalid option, or if other machines could control the worlds without a key
 */
export function readAccess({
  host: input = DEFAULT_HOST,
  adminKey,
  control = true,
}: Pick<ServerOptions, 'host' | 'adminKey' | 'control'>): Access {
  const host = parseOption(HostOption, input, 'host')
  const key = adminKey === undefined ? undefined : parseOption(AdminKeyOption, adminKey, 'adminKey')
  const isOff = !parseOption(Switch, control, 'control')
  if (isOff || key !== undefined || isLoopback(host)) {
    return { listensOn: host, adminKey: key, isOff }
  }
  throw new OptionError(
    `Others can reach ${host} and could control the sandbox there: set an admin key (SEO_SANDBOX_ADMIN_KEY, or --admin-key), or close the control API (--no-control).`,
  )
}

/**
 * Returns the certificate of a server for the hosts of `urls`; undefined for plain HTTP, which loads no code for certificates.
 *
 * @throws OptionError for an invalid option, and for certificate files that cannot be used
 */
async function openHttps(
  { https, httpsCert, httpsKey }: Pick<ServerOptions, 'https' | 'httpsCert' | 'httpsKey'>,
  urls: readonly string[],
): Promise<Credentials | undefined> {
  const fileOf = (input: string | undefined, name: string) =>
    input === undefined ? undefined : parseOption(PemFileOption, input, name)
  const files = { cert: fileOf(httpsCert, 'httpsCert'), key: fileOf(httpsKey, 'httpsKey') }
  const hasOwn = files.cert !== undefined || files.key !== undefined
  if (!parseOption(Switch, https ?? hasOwn, 'https')) return undefined
  const { readCredentials } = await import('./https.ts')
  const hosts = urls.flatMap((url) => parseUrl(url)?.hostname.replace(/^\[|\]$/g, '') ?? [])
  return readCredentials(files, hosts)
}

/**
 * Listens on an address.
 *
 * @throws ServerError if the port or the address cannot be used
 */
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

async function close(server: Server, graceMs = GRACE_MS): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(deadline)
}

/** Returns the host of URLs for use on this machine, from the address that the server listens on. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
