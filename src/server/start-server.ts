import { printUnexpected } from '../adapters/fail-with.ts'
import { SnapshotFileOption, StateFileOption } from './server-options.ts'
import type { ServerOptions, StoreServerOptions } from './server-options.ts'
import { parseOption } from '../world/options/parse-option.ts'
import { requireKnown } from '../world/options/require-known.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import { WORLD_OPTION_NAMES } from '../world/options/table.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import { backendOf } from './backend.ts'
import { openMetrics } from './optional-packages.ts'
import { readAccess, serveBackend } from './serve-backend.ts'
import type { RunningServer } from './serve-backend.ts'
import type { StoreServer } from './serve-store.ts'
import type { KeptState } from './state-file.ts'

/** A server with a sandbox of its own. */
export interface SandboxServer extends RunningServer {
  /** The sandbox that the server serves. */
  sandbox: Sandbox
  /**
   * The state file, and the time when its restored state was written; `of` is null if the file did not exist. Undefined if the
   * server keeps no state.
   */
  state?: Pick<KeptState, 'file' | 'of'> | undefined
  /**
   * The file of the snapshot, and the time when the snapshot was taken; `of` is null if the world continues from the state file
   * instead. Undefined without the option `snapshot`.
   */
  snapshot?: { file: string; of: string | null } | undefined
  /** Stops listening, and gives responses in progress half a second to finish. Rejects if the state cannot be saved. */
  close: () => Promise<void>
}

/** Options of a server besides those of its sandbox. The compiler requires this list to be complete. */
const SERVER_OPTIONS = {
  port: true,
  host: true,
  https: true,
  httpsCert: true,
  httpsKey: true,
  onConnectionError: true,
  adminKey: true,
  control: true,
  console: true,
  publicUrl: true,
  cors: true,
  trustProxy: true,
  metrics: true,
  onResponse: true,
  handlers: true,
  getResponse: true,
  snapshot: true,
  state: true,
  onStateError: true,
  store: true,
  limits: true,
  ownWorld: true,
  onStoreError: true,
} as const satisfies Record<
  Exclude<keyof ServerOptions | keyof StoreServerOptions, keyof SandboxOptions>,
  true
>

const OPTION_NAMES = [...WORLD_OPTION_NAMES, 'delays', ...Object.keys(SERVER_OPTIONS)]

/**
 * Serves a sandbox over HTTP: the API at `/api/v1`, its OpenAPI document at `/openapi.json`, the control API at
 * `/_sandbox`, the pages behind the links of reports at `/reports`, and, to browsers, the console at `/`. With a store,
 * the server has no sandbox of its own: any number of servers serve the same worlds.
 *
 * @throws FixtureError, OptionError (also for a store that cannot be used, a snapshot that cannot be restored, or a state
 * that cannot be read or saved), and ServerError if the server cannot listen on the address
 */
export function startServer(options: StoreServerOptions): Promise<StoreServer>
export function startServer(options?: ServerOptions): Promise<SandboxServer>
export async function startServer(
  options: ServerOptions | StoreServerOptions = {},
): Promise<SandboxServer | StoreServer> {
  await options.fixtures
  const worlds = toSandboxOptions(options, 'startServer')
  if ('store' in options && options.store !== undefined) {
    const { serveStore } = await import('./serve-store.ts')
    return serveStore(worlds, options)
  }
  return serveSandbox(await createSandbox(worlds), options)
}

/**
 * Selects the sandbox's options from those of a server. `source` is the name of the called function, for messages.
 *
 * @throws OptionError for an unknown option
 */
export function toSandboxOptions(
  options: ServerOptions | StoreServerOptions,
  source: string,
): SandboxOptions {
  for (const name of Object.keys(options)) requireKnown(name, OPTION_NAMES, source)
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in SERVER_OPTIONS)))
}

/**
 * Serves an existing sandbox.
 *
 * @throws OptionError for an invalid option or file, and ServerError if the server cannot listen on the address
 */
export async function serveSandbox(
  sandbox: Sandbox,
  options: Omit<ServerOptions, Exclude<keyof SandboxOptions, 'showGaps'>>,
): Promise<SandboxServer> {
  const access = readAccess(options)
  // Redacts the key, because a client may send it to the API by mistake.
  if (access.adminKey !== undefined) sandbox.world.options.givenValues.addForGood(access.adminKey)
  sandbox.world.options.errors.report = printUnexpected
  const state = options.state === undefined ? undefined : await openState(sandbox, options)
  const settled = state && (() => state.settled())
  try {
    const snapshot = await restoreSnapshot(sandbox, options.snapshot, state)
    const metrics = await openMetrics(options)
    const backend = {
      ...backendOf(sandbox),
      ...(state && { problems: () => (state.problem === undefined ? [] : [state.problem]) }),
    }
    const served = await serveBackend(backend, access, options, { settled, metrics })
    try {
      await state?.begin()
    } catch (error) {
      await served.close()
      throw error
    }
    return {
      ...served,
      sandbox,
      state: state && { file: state.file, of: state.of },
      snapshot,
      close: async () => {
        await served.close()
        await state?.close()
      },
    }
  } catch (error) {
    await state?.release()
    throw error
  }
}

/** @throws OptionError if the file cannot be used */
async function openState(
  { world }: Sandbox,
  { state, onStateError }: Pick<ServerOptions, 'state' | 'onStateError'>,
): Promise<KeptState> {
  const file = parseOption(StateFileOption, state, 'state')
  const { keepState } = await import('./state-file.ts')
  return keepState(world, file, ({ message }) => onStateError?.(message))
}

const SNAPSHOT_REMEDY = 'Name another file, or leave the snapshot out.'

/** Restores the named snapshot file, if any. Restores nothing if the world continues from its state file. @throws OptionError */
async function restoreSnapshot(
  { world }: Sandbox,
  input: string | undefined,
  state: KeptState | undefined,
): Promise<SandboxServer['snapshot']> {
  if (input === undefined) return undefined
  const file = parseOption(SnapshotFileOption, input, 'snapshot')
  if (typeof state?.of === 'string') return { file, of: null }
  const { restoreFile } = await import('./restore-file.ts')
  return { file, of: await restoreFile(world, { file, noun: 'snapshot', remedy: SNAPSHOT_REMEDY }) }
}
