import { startServer } from '../server/start-server.ts'
import type { ServerOptions } from '../server/server-options.ts'
import type { StoreServer } from '../server/serve-store.ts'
import type { SandboxServer } from '../server/start-server.ts'
import { StateFileError } from '../server/state-file.ts'
import type { DroppedWorld } from '../world/worlds.ts'
import { OptionError } from '../world/option-error.ts'
import type { ServeSettings } from './serve-options.ts'
import { flagNameOf, optionOf, WORLD_OPTION_NAMES } from '../world/options.ts'
import type { WorldFlagValues } from '../world/options.ts'
import { createBanner } from './banner.ts'
import { colorsFor } from './colors.ts'
import { loadHandlers } from './load-handlers.ts'
import { openFixtures } from './open-fixtures.ts'
import { createProgress } from './progress.ts'
import type { Progress } from './progress.ts'
import { reload } from './reload.ts'
import { formatRequest, toLoggedRequest } from './request-log.ts'
import { readSettings } from './settings.ts'
import { findStopConditions, STOP_REASONS, stopOn, toStopReasons } from './stopping.ts'
import type { StopConditions, StopReason } from './stopping.ts'
import type { FixtureWatch } from './watch.ts'

const DEFAULT_ORIGIN = 'the default world, fixtures/default.yaml'

/** `seo-sandbox serve`: serves until a signal, or what else is to stop it. */
export async function serve(flags: Record<string, unknown>): Promise<void> {
  const { settings, configFile } = await readSettings(flags)
  const conditions = findStopConditions(settings['stdin-close'] === true)
  // Before the fixtures are read, so that no change between reading and watching is missed.
  const watch = settings.watch === true ? await openWatch(settings) : undefined
  try {
    const server = await start(settings)
    stopOn(conditions, (reason) => {
      reportStop(reason, settings)
      void watch?.close()
      server.close().catch(reportUnwritten)
    })
    print(startLine({ server, settings, configFile, conditions }))
    if (!settings.json) process.stderr.write(repairLines(server))
    if ('sandbox' in server) {
      const { sandbox } = server
      watch?.onChange(() => reload(sandbox, watch.paths, settings))
    }
  } catch (error) {
    await watch?.close()
    throw error
  }
}

async function start(settings: ServeSettings): Promise<SandboxServer | StoreServer> {
  let server: SandboxServer | StoreServer | undefined
  const progress = createProgress()
  const options = await toServerOptions(settings, progress)
  if (settings.quiet !== true) {
    options.onAnswer = (request, answer) => {
      if (server) printSoon(logLine(toLoggedRequest(request, answer, server.worldOf), settings))
    }
  }
  const { store, watch } = settings
  if (store !== undefined && watch === true) {
    throw new OptionError(
      '--watch reloads the fixtures of one server, and --store keeps the worlds of several. Use one of them.',
    )
  }
  const starting =
    store === undefined
      ? startServer(options)
      : startServer({ ...options, store, onStoreError: printError })
  server = await starting.finally(() => progress.end())
  if (settings.quiet !== true) {
    watchDrops(server, (dropped) => print(dropLine(dropped, settings)))
  }
  return server
}

/** A store drops worlds itself. */
function watchDrops(
  server: SandboxServer | StoreServer,
  watcher: (dropped: DroppedWorld) => void,
): void {
  if ('sandbox' in server) server.sandbox.worlds.control.watchDrops(watcher)
}

/** So many take about a second. */
const MANY_PROJECTS = 50_000

/** Loaded with its library only for --watch. @throws OptionError */
async function openWatch({ fixtures }: ServeSettings): Promise<FixtureWatch> {
  if (!fixtures) {
    throw new OptionError('--watch: There is no fixture to watch. Name one with --fixtures.')
  }
  const { watchFixtures } = await import('./watch.ts')
  return watchFixtures(fixtures)
}

async function toServerOptions(
  settings: ServeSettings,
  progress: Progress,
): Promise<ServerOptions> {
  const { port, host, cors, state, fixtures, handlers, projects = 0 } = settings
  if (projects > MANY_PROJECTS) progress.announce(`Generating ${projects} projects`)
  const candidates = {
    ...toWorldOptions(settings),
    port,
    host,
    cors,
    state,
    adminKey: settings['admin-key'],
    control: settings['no-control'] === undefined ? undefined : !settings['no-control'],
    console: settings['no-console'] === undefined ? undefined : !settings['no-console'],
    trustProxy: settings['trust-proxy'],
    publicUrl: settings['public-url'],
    fixtures: fixtures && (await openFixtures(fixtures, progress)),
    ...(handlers !== undefined && (await loadHandlers(handlers))),
    onStateError: printError,
  }
  const set = Object.entries(candidates).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set)
}

/** The options of the world by the names of the library. */
function toWorldOptions(settings: WorldFlagValues): Record<string, unknown> {
  const values: Record<string, unknown> = settings
  const options = WORLD_OPTION_NAMES.map((name) => {
    const value = values[flagNameOf(name)]
    const { fromFlag } = optionOf(name)
    return [name, fromFlag && value !== undefined ? fromFlag(value as never) : value]
  })
  return Object.fromEntries(options)
}

interface StartLineOptions {
  server: SandboxServer | StoreServer
  settings: ServeSettings
  configFile: string | null
  conditions: StopConditions
}

function startLine({ server, settings, configFile, conditions }: StartLineOptions): string {
  const { url, host, port, control } = server
  const state = stateOf(server)
  const world = originOf(settings)
  const origin = state?.of ? `State ${state.file} of ${state.of}, over ${world}` : world
  if (settings.json) {
    const { now, frozen } = server.world.clock
    const { watch = false } = settings
    const line = {
      event: 'listening',
      url,
      host,
      port,
      pid: process.pid,
      config: configFile,
      world: origin,
      state,
      now,
      frozen,
      watch,
      console: server.console ?? null,
      control: control ? { url: control.url, needs_key: control.needsKey } : null,
      stops_when: toStopReasons(conditions),
    }
    return `${JSON.stringify(line)}\n`
  }
  if (settings.quiet) return `${url}/api/v1\n`
  const rateLimits = settings['rate-limit']
  const colors = colorsFor(process.stdout)
  return createBanner({
    server,
    isContinued: state?.of !== undefined,
    origin,
    configFile,
    rateLimits,
    colors,
  })
}

function stateOf(server: SandboxServer | StoreServer): SandboxServer['state'] {
  return 'state' in server ? server.state : undefined
}

/** What was repaired of the state, a line each; with --json it is in the first line. */
function repairLines(server: SandboxServer | StoreServer): string {
  const state = stateOf(server)
  return (state?.repairs ?? []).map((repair) => `${state?.file}: ${repair}\n`).join('')
}

/** The source of the data. */
function originOf(settings: ServeSettings): string {
  const { fixtures, demo, scenario, projects, locale, seed = '1' } = settings
  const place = locale === undefined ? '' : ` in ${locale.join(', ')}`
  if (demo === true) return `the demo${place}, of seed ${seed}`
  if (scenario !== undefined) return `scenario ${scenario}${place}`
  const generated =
    projects === undefined ? [] : [`${projects} generated projects${place} of seed ${seed}`]
  const parts = [...(fixtures ?? []), ...generated]
  return parts.length > 0 ? parts.join(', ') : DEFAULT_ORIGIN
}

function logLine(request: ReturnType<typeof toLoggedRequest>, { json }: ServeSettings): string {
  if (json) return `${JSON.stringify({ event: 'request', ...request })}\n`
  return `  ${formatRequest(request, colorsFor(process.stdout))}\n`
}

const DROP_REASONS = {
  idle: 'not used for an hour',
  displaced: 'another one needed its place, and it was the least recently used',
} as const satisfies Record<DroppedWorld['reason'], string>

function dropLine({ id, reason }: DroppedWorld, { json }: ServeSettings): string {
  if (json) return `${JSON.stringify({ event: 'world-dropped', world: id, reason })}\n`
  return `  World ${id} was dropped: ${DROP_REASONS[reason]}.\n`
}

function print(text: string): void {
  process.stdout.write(text)
}

let unprinted = ''

/** Prints once per turn of the event loop, because a write takes longer than a response. */
function printSoon(text: string): void {
  if (unprinted === '') {
    setImmediate(() => {
      print(unprinted)
      unprinted = ''
    })
  }
  unprinted += text
}

/** With --quiet only what nobody asked for, on standard error. */
function reportStop(reason: StopReason, { json, quiet }: ServeSettings): void {
  if (quiet && reason !== 'npm-ended') return
  const sentence = STOP_REASONS[reason]
  if (json) print(`${JSON.stringify({ event: 'stopping', reason })}\n`)
  else if (quiet) process.stderr.write(`${sentence}\n`)
  else print(`  ${sentence}\n`)
}

const FAILED = 1

/** Reports at the end that the state could not be saved. */
function reportUnwritten(error: unknown): void {
  if (!(error instanceof StateFileError)) throw error
  printError(error.message)
  process.exitCode = FAILED
}

/** On standard error also with --json, whose first line has the URL. */
function printError(message: string): void {
  process.stderr.write(`${colorsFor(process.stderr).red('error')} ${message}\n`)
}
