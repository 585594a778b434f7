import type { ServerOptions } from '../server/server-options.ts'
import type { StoreServer } from '../server/serve-store.ts'
import { startServer } from '../server/start-server.ts'
import type { SandboxServer } from '../server/start-server.ts'
import { OptionError } from '../world/options/option-error.ts'
import { flagNameOf, optionOf, WORLD_OPTION_NAMES } from '../world/options/table.ts'
import type { WorldFlagValues } from '../world/options/table.ts'
import type { loadHandlers } from './load-handlers.ts'
import { openFixtures } from './command-progress.ts'
import { printError, printWarning } from './print.ts'
import type { CommandProgress } from './command-progress.ts'
import type { ServeSettings } from './serve-options.ts'

/** Generating this many projects takes about a second. */
const MANY_PROJECTS = 50_000

interface StartOptions {
  progress: CommandProgress
  onResponse?: ServerOptions['onResponse']
  onConnectionError?: ServerOptions['onConnectionError']
  /** True to serve a world that belongs to this server alone, instead of a store's default world. */
  ownWorld?: boolean
}

/**
 * Starts a server from the settings of the command line.
 *
 * @throws OptionError or FixtureError for invalid options or files; ServerError if the server cannot be started.
 */
export async function startFromSettings(
  settings: ServeSettings,
  { progress, onResponse, onConnectionError, ownWorld = false }: StartOptions,
): Promise<SandboxServer | StoreServer> {
  const options = {
    ...(await toServerOptions(settings, progress)),
    ...(onResponse && { onResponse }),
    ...(onConnectionError && { onConnectionError }),
  }
  const { store, watch, limits = {} } = settings
  if (store !== undefined && watch === true) {
    throw new OptionError(
      '--watch reloads the fixtures of one server, and --store keeps the worlds of several. Use one of them.',
    )
  }
  if (store === undefined && settings.limits !== undefined) {
    throw new OptionError(
      '--limits applies to the worlds of a store. Add --store, or leave it out.',
    )
  }
  const starting =
    store === undefined
      ? startServer(options)
      : startServer({ ...options, store, limits, ownWorld, onStoreError: printError })
  const server = await starting.finally(() => progress.end())
  warn(server)
  return server
}

async function toServerOptions(
  settings: ServeSettings,
  progress: CommandProgress,
): Promise<ServerOptions> {
  const { port, host, cors, snapshot, state, fixtures, handlers, projects = 0 } = settings
  if (projects > MANY_PROJECTS) progress.announce(`Generating ${projects} projects`)
  const candidates = {
    ...toLibraryOptions(settings),
    port,
    host,
    cors,
    https: settings.https,
    httpsCert: settings['https-cert'],
    httpsKey: settings['https-key'],
    snapshot,
    state,
    adminKey: settings['admin-key'],
    control: settings['no-control'] === undefined ? undefined : !settings['no-control'],
    console: settings['no-console'] === undefined ? undefined : !settings['no-console'],
    trustProxy: settings['trust-proxy'],
    publicUrl: settings['public-url'],
    metrics: settings.metrics,
    fixtures: fixtures && (await openFixtures(fixtures, progress)),
    ...(handlers !== undefined && (await load(handlers))),
    onStateError: printError,
  }
  const set = Object.entries(candidates).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set)
}

const load: typeof loadHandlers = async (file) => {
  const { loadHandlers: loadFrom } = await import('./load-handlers.ts')
  return loadFrom(file)
}

/** Returns the options of the world, by their names in the library. */
export function toLibraryOptions(settings: WorldFlagValues): Record<string, unknown> {
  const values: Record<string, unknown> = settings
  const options = WORLD_OPTION_NAMES.map((name) => {
    const value = values[flagNameOf(name)]
    const { toOption } = optionOf(name).flag
    return [name, toOption && value !== undefined ? toOption(value as never) : value]
  })
  return Object.fromEntries(options)
}

function warn(server: SandboxServer | StoreServer): void {
  if ('hasOtherAdminKey' in server && server.hasOtherAdminKey) {
    printWarning(
      '--admin-key: The server of this store that was started before has another key. Start all of them with the same one.',
    )
  }
  if (!('sandbox' in server) || server.snapshot?.of !== null) return
  const { snapshot, state } = server
  printWarning(
    `--snapshot: ${snapshot.file} was not restored, because the world continues from ${state?.file}. Move that file away to begin from the snapshot.`,
  )
}
