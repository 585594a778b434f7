import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopback } from '../contract/addresses.ts'
import { CONTROL_PREFIX } from '../control-api/prefix.ts'
import { AdminKey, DEFAULT_HOST, DEFAULT_PORT, Host, Port, StateFile } from './server-options.ts'
import type { ServerOptions } from './server-options.ts'
import { OptionError } from '../world/option-error.ts'
import { parseOption, Switch } from '../world/parse-option.ts'
import { requireKnown } from '../world/require-known.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import { WORLD_OPTION_NAMES } from '../world/options.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import type { ControlAppOptions } from './control-app.ts'
import { answerClientError, close, listen, toUrlHost } from './http-server.ts'
import { createApi, createListener, lazyControl } from './listener.ts'
import { keepState } from './state-file.ts'
import type { KeptState } from './state-file.ts'

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
