import { MAXIMUM_REHEARSAL_RUNS } from '../../contract/limits.ts'
import { describe } from '../../contract/text.ts'
import { readExpect, readPlanOptions } from '../../rehearsal/plan-options.ts'
import type { ReadPlanOptions } from '../../rehearsal/plan-options.ts'
import type { Profile } from '../../rehearsal/rehearsal-plan.ts'
import type { ExpectedReports } from '../../review/review.ts'
import { findUnknown } from '../../review/requirements.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Waiver } from '../../session/session.ts'
import { OptionError } from '../../world/options/option-error.ts'
import { requireKnown } from '../../world/options/require-known.ts'

/** The argument that the client receives in each run. */
export interface ClientContext {
  /** The base URL of the sandbox, without the path of the API. */
  url: string
  /** Sends a request to the sandbox. Code that uses another `fetch` needs MSW handlers, or a server. */
  fetch: Sandbox['fetch']
  token: string
  /** The start of the run. */
  now: Date
  /** The number of the run, counted from 1. */
  run: number
}

type GivenSandbox = Sandbox | { sandbox: Sandbox; url: string }

/**
 * The client to rehearse, called once per run. The run is done if the returned promise resolves, and has failed if it rejects.
 * Requests after the failure still belong to the failed run, until two minutes pass without one, and for at most an hour.
 */
export type RehearsedClient = (context: ClientContext) => unknown

/**
 * Saves and restores the client's own state between runs. `load` receives a result of `save`, and replaces the state with it.
 * If the client is killed during a run, `save` is called immediately, and `load` before the next run. `load` must then discard
 * everything that is only in memory, such as limiters and locks, as a new process would.
 */
export interface ClientState {
  save: () => unknown
  load: (saved: never) => unknown
}

/**
 * A run from which to repeat a rehearsal, and the client's state before that run. The plan alone determines the state of the world
 * before that run.
 */
export interface KeptRun {
  run: number
  /** Omitted if the rehearsal has no option `state`. */
  state?: unknown
}

export interface RehearseOptions {
  /** Interval between runs, as an ISO 8601 duration of at least an hour; `P1D` if omitted. */
  every?: string
  /** Length of a rehearsal with the profile `year`, as an ISO 8601 duration; `P12M` if omitted. */
  for?: string
  /**
   * Start of the first run: a date, which means 06:00 UTC on that day, or a datetime. If omitted, the first of the month; in a
   * world with its own time, that time if it is later.
   */
  start?: string
  /**
   * `smoke`: 40 runs with each kind of disturbance. `year`: as many runs as fit into `for`. If omitted, `year` with `for`,
   * otherwise `smoke`.
   */
  profile?: Profile
  /** Seed of the plan, of `Math.random`, and of the world if `sandbox` is omitted; `1` if omitted. */
  seed?: string | number
  /**
   * The sandbox that receives the client's requests, or a server with a sandbox; a sandbox with the demo if omitted.
   * The sandbox is reset at the start and at the end.
   */
  sandbox?: GivenSandbox | Promise<GivenSandbox>
  /**
   * `all` if the client has to fetch every completed report, `new` if it already knows those completed before its first run. If
   * omitted, `new` if the first run ends well, sees completed reports and requests no content, otherwise `all`. Always `new` if
   * `from` is a later run.
   */
  expect?: ExpectedReports
  /**
   * Requirements: ids of checks, `delivered`, `delivered:new`, `delivered:101`, `warnings`. If omitted, `delivered`, or nothing
   * with `from` or `until`.
   */
  require?: readonly string[]
  /** Failures to accept, each until the end of the day `until`. */
  waive?: readonly Waiver[]
  /** Saves and restores the client's own state. If omitted, the client is never killed during a run. */
  state?: ClientState
  /** The first run to make: its number, or an item from `kept` of a report. Run 1 if omitted. */
  from?: KeptRun | number
  /** Number of the last run to make; the last run of the plan if omitted. */
  until?: number
  /**
   * Signal whose abort ends the rehearsal and restores the clock immediately: the `signal` of a test in Vitest, or
   * `AbortSignal.timeout(50_000)`. The rehearsal then rejects with the reason of the signal. If omitted, a rehearsal that outlasts
   * the time limit of its test goes on, and the next tests have its clock.
   */
  signal?: AbortSignal
}

export interface ReadOptions extends ReadPlanOptions {
  seed: string
  sandbox: Sandbox | undefined
  url: string
  expect: ExpectedReports | undefined
  require: readonly string[]
  waive: readonly Waiver[]
  state: ClientState | undefined
  from: KeptRun
  until: number
  signal: AbortSignal | undefined
}

const NAMES: readonly (keyof RehearseOptions)[] = [
  'every',
  'for',
  'start',
  'profile',
  'seed',
  'sandbox',
  'expect',
  'require',
  'waive',
  'state',
  'from',
  'until',
  'signal',
]

/** @throws OptionError if an option is unknown or invalid. */
export async function readOptions(options: RehearseOptions): Promise<ReadOptions> {
  for (const name of Object.keys(options)) requireKnown(name, NAMES, 'rehearse')
  const planned = readPlanOptions(options)
  const isWhole = options.from === undefined && options.until === undefined
  const { seed = '1', waive = [] } = options
  const { require = isWhole ? ['delivered'] : [] } = options
  for (const [name, list] of Object.entries({ require, waive: waive.map(({ what }) => what) })) {
    for (const what of list) {
      const problem = findUnknown(what, { isRehearsal: true })
      if (problem !== undefined) throw invalid(name, problem)
    }
  }
  const from = typeof options.from === 'object' ? { ...options.from } : { run: options.from ?? 1 }
  if (from.state !== undefined && !options.state)
    throw invalid(
      'from',
      'It has a state, but there is no option state with a load to restore it. Add one, or leave the state out.',
    )
  const { until = MAXIMUM_REHEARSAL_RUNS } = options
  for (const [name, number] of Object.entries({ from: from.run, until })) {
    if (!Number.isInteger(number) || number < 1)
      throw invalid(name, `${describe(number)} is not the number of a run. The first is 1.`)
  }
  if (from.run > until)
    throw invalid('until', `It is before run ${from.run}, the first one. Use a later run.`)
  if (from.run > 1 && options.expect === 'all')
    throw invalid(
      'expect',
      `A rehearsal from run ${from.run} expects only reports that are new since the run before. Leave it out, or rehearse from run 1.`,
    )
  const { signal } = options
  // Checks the shape rather than the class, because the signal may come from another realm, such as jsdom.
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw invalid('signal', `${describe(signal)} is not an AbortSignal. Pass that of the test.`)
  const given = await options.sandbox
  const served = given && 'sandbox' in given ? given : undefined
  const sandbox = served?.sandbox ?? (given as Sandbox | undefined)
  if (given !== undefined && typeof sandbox?.reset !== 'function')
    throw invalid(
      'sandbox',
      `${describe(given)} is not a sandbox. Pass the result of createSandbox or startServer.`,
    )
  return {
    ...planned,
    seed: String(seed),
    sandbox,
    url: served?.url ?? 'http://localhost',
    expect: readExpect(options.expect, options.require ?? []),
    require,
    waive,
    state: options.state,
    from,
    until,
    signal,
  }
}

function invalid(name: string, message: string): OptionError {
  return new OptionError(`${name}: ${message}`)
}

/**
 * Reasons for which a rehearsal cannot start or continue: another one is running, timers are already faked, no token is usable, the
 * client waits in real time, or it never stops sending requests.
 */
export type RehearsalErrorCode =
  | 'already_running'
  | 'timers_faked'
  | 'no_token'
  | 'stalled'
  | 'endless'

/** Thrown if a rehearsal cannot start or continue. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError'
  readonly code: RehearsalErrorCode

  constructor(code: RehearsalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
