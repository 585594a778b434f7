import { toRateLimits } from '../../contract/limits.ts'
import type { RateLimits } from '../../contract/limits.ts'
import { MINUTE_MS, toDateTime } from '../../contract/time.ts'
import type { TokenRecord } from '../../contract/token.ts'
import { readExpect, readPlanOptions, toStart } from '../../rehearsal/plan-options.ts'
import type { ReadPlanOptions } from '../../rehearsal/plan-options.ts'
import { planRehearsal } from '../../rehearsal/rehearsal-plan.ts'
import type { RehearsalPlan, RehearsalStep } from '../../rehearsal/rehearsal-plan.ts'
import type { ExpectedReports } from '../../review/review.ts'
import type { Demands } from '../../review/judge.ts'
import { shiftMachineClock } from '../../sandbox/machine-clock.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { DEFAULT_SETTINGS } from '../../world/options/table.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { parseFlag } from '../../world/options/parse-option.ts'
import { findUsableToken } from '../../world/usable-token.ts'
import { readReportFiles } from '../command-options.ts'
import type { ReportFile } from '../command-options.ts'
import { readExtraVariables } from '../exec/command-sandbox.ts'
import type { ExecSettings } from '../exec/command-sandbox.ts'
import { REHEARSAL_VARIABLES } from '../exec/exec-options.ts'
import { readDemands, readSettings } from '../read-settings.ts'
import type { ServeOptionName, ServeSettings } from '../serve-options.ts'
import { NOT_OF_REHEARSALS, REHEARSE_OPTIONS } from './rehearse-options.ts'
import type { ClientClockName } from './rehearse-options.ts'

export interface RehearseSettings extends Pick<ExecSettings, 'served' | 'extraVariables'> {
  planned: ReadPlanOptions
  /** Number of the last run, counted from 1; undefined for the last run of the plan. */
  until: number | undefined
  /** Folder of the files that the client keeps between runs; undefined if none is named. */
  clientState: string | undefined
  clientClock: ClientClockName
  timeoutMs: number
  reports: readonly ReportFile[]
  demands: Demands
  expect: ExpectedReports | undefined
  isDryRun: boolean
  /** Flags as the user wrote them, to repeat the command. */
  flags: Readonly<Record<string, unknown>>
}

/** @throws OptionError, and FixtureError for an invalid file of `--policies`. */
export async function readRehearseSettings(
  flags: Record<string, unknown>,
): Promise<RehearseSettings> {
  const { port, require: required } = flags
  const { settings } = await readSettings(flags)
  if (settings.store !== undefined)
    throw new OptionError(
      '--store: A rehearsal has a world of its own, in this process. Leave it out.',
    )
  return {
    served: toServed(settings, { hasPort: port !== undefined }),
    extraVariables: readExtraVariables(flags),
    planned: readPlanOptions(flags, (name) => `--${name}`),
    until: parseFlag(REHEARSE_OPTIONS.until.read, flags, 'until'),
    clientState: folderOf(flags['client-state']),
    clientClock: parseFlag(REHEARSE_OPTIONS['client-clock'].read, flags, 'client-clock') ?? 'none',
    timeoutMs: parseFlag(REHEARSE_OPTIONS.timeout.read, flags, 'timeout') ?? 2 * MINUTE_MS,
    reports: readReportFiles(flags),
    demands: await readDemands(required, { isRehearsal: true }),
    expect: readExpect(flags['expect'], [required ?? []].flat().map(String), (name) => `--${name}`),
    isDryRun: flags['dry-run'] === true,
    flags,
  }
}

const WORLD_SOURCES = [
  'demo',
  'scenario',
  'fixtures',
  'projects',
  'locale',
] as const satisfies readonly ServeOptionName[]

/**
 * Returns the settings of the server, without the options in `NOT_OF_REHEARSALS`. The world is the demo unless the user
 * chose another.
 */
function toServed(settings: ServeSettings, { hasPort }: { hasPort: boolean }): ServeSettings {
  const served: ServeSettings = hasPort
    ? { ...settings }
    : { ...settings, port: REHEARSE_OPTIONS.port.default }
  for (const name of NOT_OF_REHEARSALS) delete served[name]
  const hasWorld = WORLD_SOURCES.some((name) => settings[name] !== undefined)
  return hasWorld ? served : { ...served, demo: true }
}

/** @throws OptionError for an empty name, as from an unset variable, which would mean the current folder. */
function folderOf(value: unknown): string | undefined {
  if (value === '')
    throw new OptionError(
      '--client-state: The name of the folder is missing. Write one like state.',
    )
  return typeof value === 'string' ? value : undefined
}

export interface CommandStage {
  plan: RehearsalPlan
  token: TokenRecord
  /** Number of runs, at most that of the plan. */
  end: number
  clock: CommandClock
  /** The token's rate limits, which the rehearsal lifts. */
  limits: RateLimits
}

/**
 * Resets the world to the start of the first run, lifts the rate limits of the token, and plans the rehearsal.
 *
 * @throws OptionError if the first run is before the start of the world clock, or if the world has no usable token.
 */
export async function setStage(
  sandbox: Sandbox,
  { served, planned, clientClock, until }: RehearseSettings,
): Promise<CommandStage> {
  const { world } = sandbox
  const loadedMs = Date.parse(world.origin.loadedAt)
  const begun = { startMs: planned.startMs, loadedMs, realMs: Date.now() }
  const startMs = toStart(begun, '--start')
  const clock = new CommandClock({ sandbox, isClockRead: clientClock === 'env' })
  await clock.begin(startMs)
  const { id, rate_limit } = tokenOf(sandbox)
  const limits = toRateLimits(rate_limit, world.options.settings.rateLimit)
  const patch = {
    // Waiting for a limit would take real time.
    rate_limit: { per_minute: 'unlimited', per_hour: 'unlimited' },
    // The spent requests belong to a window that no longer exists.
    spent: null,
  }
  await sandbox.command({ type: 'record.patch', collection: 'tokens', id, patch })
  const token = tokenOf(sandbox)
  const plan = planRehearsal({
    ...planned,
    seed: served.seed ?? DEFAULT_SETTINGS.seed,
    startMs,
    records: world.records,
    token,
    isRealTime: true,
  })
  const { length } = plan.steps
  return { plan, token, end: Math.min(until ?? length, length), clock, limits }
}

function tokenOf({ world }: Sandbox): TokenRecord {
  const token = findUsableToken(world.records.all('tokens'))
  if (token) return token
  throw new OptionError(
    'The world has no token that this machine may use. Add an active one to its fixture.',
  )
}

interface ClockOptions {
  sandbox: Sandbox
  /** True if the command reads the time of a run from SEO_SANDBOX_CLIENT_NOW. */
  isClockRead: boolean
}

/**
 * The clocks of a command and its world. The command runs on the machine's clock; the world clock is moved between
 * runs. The rate clock is not moved: a client that sleeps until `X-RateLimit-Reset` would sleep for months (T21 in
 * docs/conformance.md).
 */
export class CommandClock {
  readonly #sandbox: Sandbox
  readonly #isClockRead: boolean
  #atMs = 0

  constructor({ sandbox, isClockRead }: ClockOptions) {
    this.#sandbox = sandbox
    this.#isClockRead = isClockRead
  }

  /** Resets the world so that it starts at `startMs`, in epoch milliseconds. */
  async begin(startMs: number): Promise<void> {
    // Relative dates of records are resolved by the machine's clock when the records are loaded.
    shiftMachineClock(startMs - Date.now())
    try {
      await this.#sandbox.reset()
    } finally {
      shiftMachineClock(0)
    }
    await this.moveTo({ atMs: startMs, isRunning: false })
  }

  async moveTo({ atMs, isRunning }: Pick<RehearsalStep, 'atMs' | 'isRunning'>): Promise<void> {
    this.#atMs = atMs
    await this.#sandbox.world.moveClock([
      { type: 'clock.set', now: toDateTime(atMs) },
      { type: 'clock.freeze', frozen: !isRunning },
    ])
    await this.#sandbox.command({ type: 'rate.clear' })
  }

  /** Returns the variable with the start of the current run; empty unless the command reads it. */
  environment(): NodeJS.ProcessEnv {
    return this.#isClockRead ? { [REHEARSAL_VARIABLES.now]: toDateTime(this.#atMs) } : {}
  }
}
