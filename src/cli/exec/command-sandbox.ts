import { toShownJson } from '../../contract/text.ts'
import type { Demands } from '../../review/judge.ts'
import type { RunningServer } from '../../server/serve-backend.ts'
import type { StoreServer } from '../../server/serve-store.ts'
import { StateFileError } from '../../server/server-error.ts'
import type { SandboxServer } from '../../server/start-server.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { parseFlag } from '../../world/options/parse-option.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { readReportFiles } from '../command-options.ts'
import type { ReportFile } from '../command-options.ts'
import { createProgress } from '../command-progress.ts'
import { printError, printWarning } from '../print.ts'
import { readDemands, readSettings } from '../read-settings.ts'
import { openWatch, reload } from '../reload.ts'
import type { ServeSettings } from '../serve-options.ts'
import { startFromSettings } from '../start-from-settings.ts'
import { EXEC_OPTIONS, EXEC_EXIT_CODES, EXEC_VARIABLES, toApi } from './exec-options.ts'
import type { ExecValue } from './exec-options.ts'
import { bypassProxies } from './proxies.ts'

export interface ExecSettings {
  /** Settings of the server. The port is 0, which selects a free one, unless `--port` sets it. */
  served: ServeSettings
  /** Time limit of the command, in milliseconds; undefined for no limit. */
  timeoutMs: number | undefined
  /** Additional variables of the command, set by `--env`: for each, the name of its value. */
  extraVariables: ReadonlyMap<string, ExecValue>
  leavesDaemons: boolean
  /** Files that receive the review, besides the terminal; undefined if there is no review. */
  reports: readonly ReportFile[] | undefined
  /** True to run the command three times: with a refused token, with faults, and a day later. */
  isStorm: boolean
  /** True to run the command again under other policies. */
  isVaried: boolean
  demands: Demands
}

/** @throws OptionError, and FixtureError for an invalid file of `--policies`. */
export async function readExecSettings(flags: Record<string, unknown>): Promise<ExecSettings> {
  const { port, review, report, require: required, profile, vary } = flags
  const { settings } = await readSettings(flags)
  const isReviewed =
    review === true ||
    vary === true ||
    [report, required, profile].some((flag) => flag !== undefined)
  if (vary === true) refuseExcluded({ ...settings, profile })
  if (isReviewed && settings.store !== undefined) {
    throw new OptionError(
      '--review: A store also has the requests of other servers. Leave out --store or --review.',
    )
  }
  return {
    served: port === undefined ? { ...settings, port: EXEC_OPTIONS.port.default } : settings,
    timeoutMs: parseFlag(EXEC_OPTIONS.timeout.read, flags, 'timeout'),
    extraVariables: readExtraVariables(flags),
    leavesDaemons: flags['leave-daemons'] === true,
    reports: isReviewed ? readReportFiles(flags) : undefined,
    isStorm: parseFlag(EXEC_OPTIONS.profile.read, flags, 'profile') === 'storm',
    isVaried: vary === true,
    demands: isReviewed ? await readDemands(required) : { require: [], waive: [] },
  }
}

/** Options that cannot be combined with `--vary`, because it gives each run a new world. */
const EXCLUDED_BY_VARY = ['profile', 'store', 'state', 'snapshot'] as const

function refuseExcluded(
  settings: Partial<Record<(typeof EXCLUDED_BY_VARY)[number], unknown>>,
): void {
  const name = EXCLUDED_BY_VARY.find((option) => settings[option] !== undefined)
  if (name === undefined) return
  throw new OptionError(
    `--vary: Each run of the command has a new world, and --${name} does not allow that. Leave out one of them.`,
  )
}

/**
 * Returns the variables of `--env`: for each, the name of its value.
 *
 * @throws OptionError if a variable or the name of a value is invalid.
 */
export function readExtraVariables(flags: Record<string, unknown>): ReadonlyMap<string, ExecValue> {
  return new Map(parseFlag(EXEC_OPTIONS.env.read, flags, 'env')?.map(toMapping))
}

function toMapping(text: string): [name: string, value: ExecValue] {
  const [name = '', value] = text.split('=')
  return [name, value as ExecValue]
}

/**
 * Starts a server, and calls `use` while it listens. Returns the result of `use`, or 125 if the state of the server
 * cannot be saved.
 *
 * @param use runs the command, and returns the exit code
 * @throws OptionError or FixtureError for invalid options or files; ServerError if the server cannot be started; the
 * errors of `use`.
 */
export async function withServer(
  served: ServeSettings,
  use: (server: SandboxServer | StoreServer) => Promise<number>,
): Promise<number> {
  process.off('exit', setFailed).on('exit', setFailed)
  const watch = await openWatch(served)
  let server: SandboxServer | StoreServer | undefined
  let code: number
  let isSaved: boolean
  try {
    server = await start(served)
    if ('sandbox' in server) {
      const { sandbox } = server
      watch?.onChange(() => reload(sandbox, watch.paths, { quiet: true }))
    }
    code = await use(server)
  } finally {
    await watch?.close()
    isSaved = server === undefined || (await close(server))
  }
  process.off('exit', setFailed)
  return isSaved ? code : EXEC_EXIT_CODES.failed
}

/** Replaces the exit code of Node for an unexpected error, 1, which could be mistaken for the command's own. */
function setFailed(): void {
  process.exitCode = EXEC_EXIT_CODES.failed
}

function start(served: ServeSettings): Promise<SandboxServer | StoreServer> {
  const { quiet = false, json = false } = served
  const progress = createProgress(quiet ? { isTTY: false, write: () => {} } : process.stderr)
  return startFromSettings(served, {
    progress,
    ownWorld: true,
    ...(!quiet && {
      onConnectionError: (message) => {
        if (json) process.stderr.write(`${toShownJson({ event: 'connection-error', message })}\n`)
        else printWarning(message)
      },
    }),
  })
}

async function close(server: RunningServer): Promise<boolean> {
  try {
    await server.close()
    return true
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error
    printError(error.message, 'docs/judging.md')
    return false
  }
}

const REMEDIES = {
  token:
    'The world has no token that this machine may use. Add an active one to its fixture, or leave this variable out.',
  control: 'The control API is off. Leave out --no-control, or this variable.',
  key: 'The control API needs no key. Set one with --admin-key, or leave this variable out.',
  ca: 'The server has no CA certificate of its own. Add --https, or leave this variable out.',
} as const

/**
 * Returns the environment of the command.
 *
 * @throws OptionError if `--env` requests a value that does not exist, or if a file of certificates cannot be read or
 * written.
 */
export async function toEnvironment(
  { url, control, world, ca }: RunningServer,
  { served, extraVariables }: Pick<ExecSettings, 'served' | 'extraVariables'>,
): Promise<NodeJS.ProcessEnv> {
  const trusted =
    ca === undefined ? undefined : (await import('../trust.ts')).trustCa(ca, process.env)
  const values: Record<ExecValue, string | undefined> = {
    url,
    api: toApi(url),
    token: findUsableToken(world.records.all('tokens'))?.token,
    control: control?.url,
    key: served['admin-key'],
    ca: trusted?.file,
  }
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...bypassProxies(process.env, url),
    ...trusted?.variables,
  }
  // A variable without a value is unset, because an enclosing run may have set it.
  for (const [name, variable] of Object.entries(EXEC_VARIABLES)) {
    env[variable] = values[name as keyof typeof EXEC_VARIABLES]
  }
  for (const [variable, name] of extraVariables) {
    const value = values[name]
    if (value === undefined && name in REMEDIES) {
      throw new OptionError(`--env ${variable}=${name}: ${REMEDIES[name as keyof typeof REMEDIES]}`)
    }
    env[variable] = value
  }
  return env
}
