import type { AddressInfo } from 'node:net'
import { TrustedHops } from '../adapters/trusted-hops.ts'
import { isLoopback } from '../contract/addresses.ts'
import { CONTROL_PREFIX } from '../control-api/prefix.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseOption, Switch } from '../world/options/parse-option.ts'
import type { SandboxOptions } from '../sandbox/sandbox.ts'
import type { World } from '../world/world.ts'
import type { ControlOptions } from './control-handler.ts'
import type { Host } from './host.ts'
import { close, createHttpServer, listen, toUrlHost, USUAL_HEAD } from './http-server.ts'
import type { HeadLimit } from './http-server.ts'
import { withLayers } from './layers.ts'
import type { LayerOptions } from './layers.ts'
import { createListener } from './listener.ts'
import {
  AdminKey,
  DEFAULT_HOST,
  DEFAULT_PORT,
  Host as Address,
  Port,
  PublicUrl,
} from './server-options.ts'
import type { ServerOptions } from './server-options.ts'
import type { Metrics } from './metrics.ts'

/** What every server has, whether its worlds are its own or come from a store. */
export interface RunningServer {
  /** Scheme, host and port; the API is at `/api/v1` below it. */
  url: string
  port: number
  /** The address that it listens on. */
  host: string
  /** The URL of the control API, and whether it requires the admin key; undefined where it is off. */
  control?: { url: string; needsKey: boolean } | undefined
  /** The URL of the console; undefined where it is off. */
  console?: string | undefined
  /** The default world; with a store as it was created. */
  world: World
  /** The world that answers a request; undefined where it is not in memory. */
  worldOf: Host['worlds']['worldOf']
  /** Stops listening, and gives responses under way half a second to finish; with a store it takes up to ten seconds in all. */
  close: () => Promise<void>
}

/** What serving a host needs besides the options of the user. */
interface Serving {
  head?: HeadLimit
  /** How long responses under way may take when it stops. */
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
export async function serveHost(
  host: Host,
  access: Access,
  options: Omit<ServerOptions, Exclude<keyof SandboxOptions, 'showGaps'>>,
  { head = USUAL_HEAD, graceMs, settled, metrics }: Serving = {},
): Promise<RunningServer> {
  const address = {
    port: parseOption(Port, options.port ?? DEFAULT_PORT, 'port'),
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
        publicUrl === undefined ? undefined : parseOption(PublicUrl, publicUrl, 'publicUrl'),
      hops: parseOption(TrustedHops, trustProxy, 'trustProxy'),
    },
  }
  const listener = await withLayers(createListener(host, serving), serving)
  const server = createHttpServer(listener, head)
  metrics?.watch(host)
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
    world: host.world,
    worldOf: (request) => host.worlds.worldOf(request),
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
  const host = parseOption(Address, given, 'host')
  const key = adminKey === undefined ? undefined : parseOption(AdminKey, adminKey, 'adminKey')
  const isOff = !parseOption(Switch, control, 'control')
  if (isOff || key !== undefined || isLoopback(host)) {
    return { listensOn: host, adminKey: key, isOff }
  }
  throw new OptionError(
    `Others can reach ${host} and could control the sandbox there: set an admin key (SEO_SANDBOX_ADMIN_KEY, or --admin-key), or close the control API (--no-control).`,
  )
}
