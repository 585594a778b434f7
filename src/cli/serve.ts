import { toShownJson } from '../contract/text.ts'
import type { ServerOptions } from '../server/server-options.ts'
import type { StoreServer } from '../server/serve-store.ts'
import type { SandboxServer } from '../server/start-server.ts'
import { StateFileError } from '../server/server-error.ts'
import type { DroppedWorld } from '../world/worlds.ts'
import type { ServeSettings } from './serve-options.ts'
import { createBanner } from './banner.ts'
import { colorsFor, printError } from './print.ts'
import { createProgress } from './command-progress.ts'
import { openWatch, reload } from './reload.ts'
import { formatRequest, requestIdOf, toLogLine } from './request-log.ts'
import { readSettings } from './read-settings.ts'
import { startFromSettings } from './start-from-settings.ts'
import { findStopConditions, STOP_REASONS, stopOn, toStopReasons } from './stopping.ts'
import type { StopConditions, StopReason } from './stopping.ts'

const DEFAULT_SOURCE = 'the default world, fixtures/default.yaml'

/**
 * `seo-sandbox serve`: serves until a signal, or another condition, stops it.
 *
 * @throws OptionError or FixtureError for invalid options or files; ServerError if the server cannot be started.
 */
export async function serve(flags: Record<string, unknown>): Promise<void> {
  const { settings, configFile } = await readSettings(flags)
  const conditions = findStopConditions(settings['stdin-close'] === true)
  // Opened before the fixtures are read, so that no change in between is missed.
  const watch = await openWatch(settings)
  try {
    const server = await start(settings)
    stopOn(conditions, (reason) => {
      reportStop(reason, settings)
      void watch?.close()
      server.close().catch(reportUnwritten)
    })
    const ca = await writeCaOf(server)
    print(startLine({ server, settings, configFile, conditions, ca }))
    if ('sandbox' in server) {
      const { sandbox } = server
      watch?.onChange(() => reload(sandbox, watch.paths, settings))
    }
  } catch (error) {
    await watch?.close()
    throw error
  }
}

async function writeCaOf(server: SandboxServer | StoreServer): Promise<string | null> {
  if (server.ca === undefined) return null
  const { writeCa } = await import('./trust.ts')
  try {
    return writeCa(server.ca)
  } catch (error) {
    await server.close()
    throw error
  }
}

async function start(settings: ServeSettings): Promise<SandboxServer | StoreServer> {
  let server: SandboxServer | StoreServer | undefined
  const isProxied = (settings['trust-proxy'] ?? 0) > 0
  const onResponse: ServerOptions['onResponse'] = (request, response) => {
    if (!server) return
    const world = server.worldOf(request)
    const id = settings.json ? requestIdOf(request, { isProxied, world }) : undefined
    printSoon(logLine(toLogLine(request, response, { world, id }), settings))
  }
  server = await startFromSettings(settings, {
    progress: createProgress(),
    ...(settings.quiet !== true && {
      onResponse,
      onConnectionError: (message) => print(connectionErrorLine(message, settings)),
    }),
  })
  if (settings.quiet !== true) {
    watchDrops(server, (dropped) => print(dropLine(dropped, settings)))
  }
  return server
}

/** Calls `watcher` for each dropped world, except with a store, which drops worlds itself. */
function watchDrops(
  server: SandboxServer | StoreServer,
  watcher: (dropped: DroppedWorld) => void,
): void {
  if ('sandbox' in server) server.sandbox.worlds.control.watchDrops(watcher)
}

interface StartLineOptions {
  server: SandboxServer | StoreServer
  settings: ServeSettings
  configFile: string | null
  conditions: StopConditions
  /** Path of the server's CA certificate; null if there is none. */
  ca: string | null
}

function startLine({ server, settings, configFile, conditions, ca }: StartLineOptions): string {
  const { url, host, port, control } = server
  const { state = null, snapshot = null } = 'sandbox' in server ? server : {}
  const continued = [
    ...(state?.of ? [`State ${state.file} of ${state.of}, over`] : []),
    ...(snapshot?.of ? [`Snapshot ${snapshot.file} of ${snapshot.of}, over`] : []),
  ]
  const source = [...continued, describeSource(settings)].join(' ')
  if (settings.json) {
    const { now, frozen } = server.world.clock
    const { watch = false } = settings
    const line = {
      event: 'listening',
      url,
      host,
      port,
      ca,
      pid: process.pid,
      config: configFile,
      world: source,
      ...(state && { state }),
      ...(snapshot && { snapshot }),
      ...('isDefaultClosed' in server && {
        default_world: server.isDefaultClosed ? 'closed' : 'open',
      }),
      now,
      frozen,
      watch,
      console: server.console ?? null,
      control: control ? { url: control.url, needs_key: control.needsKey } : null,
      stops_when: toStopReasons(conditions),
    }
    return `${toShownJson(line)}\n`
  }
  if (settings.quiet) return `${url}/api/v1\n`
  const rateLimits = settings['rate-limit']
  const colors = colorsFor(process.stdout)
  return createBanner({
    server,
    isContinued: continued.length > 0,
    source,
    configFile,
    ca,
    rateLimits,
    colors,
  })
}

function describeSource(settings: ServeSettings): string {
  const { fixtures, demo, scenario, projects, locale, seed = '1' } = settings
  const place = locale === undefined ? '' : ` in ${locale.join(', ')}`
  if (demo === true) return `the demo${place}, seed ${seed}`
  if (scenario !== undefined) return `scenario ${scenario}${place}`
  const generated =
    projects === undefined ? [] : [`${projects} generated projects${place} with seed ${seed}`]
  const parts = [...(fixtures ?? []), ...generated]
  return parts.length > 0 ? parts.join(', ') : DEFAULT_SOURCE
}

function logLine(request: ReturnType<typeof toLogLine>, { json }: ServeSettings): string {
  if (json) return `${toShownJson({ event: 'request', ...request })}\n`
  return `  ${formatRequest(request, colorsFor(process.stdout))}\n`
}

function connectionErrorLine(message: string, { json }: ServeSettings): string {
  if (json) return `${toShownJson({ event: 'connection-error', message })}\n`
  return `  ${message}\n`
}

const DROP_REASONS = {
  idle: 'not used for an hour',
  displaced: 'another world needed its place, and it was the least recently used',
} as const satisfies Record<DroppedWorld['reason'], string>

function dropLine({ id, reason }: DroppedWorld, { json }: ServeSettings): string {
  if (json) return `${toShownJson({ event: 'world-dropped', world: id, reason })}\n`
  return `  World ${id} was dropped: ${DROP_REASONS[reason]}.\n`
}

function print(text: string): void {
  process.stdout.write(text)
}

let unprinted = ''

/** Collects output, and prints it once per turn of the event loop, because a write takes longer than a response. */
function printSoon(text: string): void {
  if (unprinted === '') {
    setImmediate(() => {
      print(unprinted)
      unprinted = ''
    })
  }
  unprinted += text
}

function reportStop(reason: StopReason, { json, quiet }: ServeSettings): void {
  if (quiet && reason !== 'npm-ended') return
  const sentence = STOP_REASONS[reason]
  if (json) print(`${toShownJson({ event: 'stopping', reason })}\n`)
  else if (quiet) process.stderr.write(`${sentence}\n`)
  else print(`  ${sentence}\n`)
}

const FAILED = 1

function reportUnwritten(error: unknown): void {
  if (!(error instanceof StateFileError)) throw error
  printError(error.message, 'docs/hosting/README.md')
  process.exitCode = FAILED
}
