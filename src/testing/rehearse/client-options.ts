import { MOST_RUNS } from '../../contract/limits.ts'
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

/** The argument of a client in a run. */
export interface ClientContext {
  /** The base URL of the sandbox, without the path of the API. */
  url: string
  /** Requests the sandbox. Code that has a `fetch` of its own needs handlers of MSW, or a server. */
  fetch: Sandbox['fetch']
  token: string
  /** The start of the run. */
  now: Date
  /** The number of the run, counted from 1. */
  run: number
}

/** A sandbox, or a server that has one. */
type GivenSandbox = Sandbox | { sandbox: Sandbox; url: string }

/** The client that is rehearsed: a run is done if its promise resolves, and has failed if it rejects. */
export type RehearsedClient = (context: ClientContext) => unknown

/**
 * The client's own state between runs: the result of `save` is given to `load`, which replaces the state with it. `save` is
 * also called when the client is killed in the middle of a run, and `load` before the next run. In that case `load` has to
 * discard everything that is only in memory, such as limiters and locks, as a new process would.
 */
export interface ClientState {
  save: () => unknown
  load: (saved: never) => unknown
}

/** A run to begin again with, and the client's state before it; the world before it follows from the plan. */
export interface KeptRun {
  run: number
  /** Absent if the client gives no `state`. */
  state?: unknown
}

export interface RehearseOptions {
  /** The time between two runs, as an ISO 8601 duration of at least an hour; `P1D` if omitted. */
  every?: string
  /** The length of a `year`, as an ISO 8601 duration; `P12M` if omitted. */
  for?: string
  /** The start of the first run: a day, at 06:00 UTC, or a datetime. The first of the month if omitted. */
  start?: string
  /**
   * `smoke` is 40 runs with each kind of trouble, `year` as many as fit into `for`. If omitted, `smoke`, or `year` with `for`.
   */
  profile?: Profile
  /** The seed of the plan, of the world if no sandbox is given, and of `Math.random`; `1` if omitted. */
  seed?: string | number
  /**
   * The sandbox that the client sends its requests to, or a server with one; it is reset at the start and at the end. The demo
   * if omitted.
   */
  sandbox?: GivenSandbox | Promise<GivenSandbox>
  /**
   * `all` if the client has to fetch every report that is complete, `new` if it knows those from before its first run. If
   * omitted, `new` if the first run looks for reports and fetches none of them.
   */
  expect?: ExpectedReports
  /**
   * Requirements: ids of checks, `delivered`, `delivered:new`, `delivered:101`, `warnings`. If omitted, `delivered`, or nothing
   * if `from` or `until` leave out runs.
   */
  require?: readonly string[]
  /** Failures that are allowed until a day. */
  waive?: readonly Waiver[]
  /** The client's own state, to begin again before a run. */
  state?: ClientState
  /** The run to begin with, as a report has it in `kept`; the first if omitted. */
  from?: KeptRun | number
  /** The number of the last run; the last of the plan if omitted. */
  until?: number
}

/** The parsed options. */
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
]

/** @throws OptionError for an option that is unknown or wrong. */
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
  const { until = MOST_RUNS } = options
  for (const [name, number] of Object.entries({ from: from.run, until })) {
    if (!Number.isInteger(number) || number < 1)
      throw invalid(name, `${describe(number)} is not the number of a run. The first is 1.`)
  }
  if (from.run > until)
    throw invalid('until', `It is before run ${from.run}, the first one. Use a later run.`)
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
  }
}

function invalid(name: string, message: string): OptionError {
  return new OptionError(`${name}: ${message}`)
}

/**
 * The reason why there is no rehearsal: another one is running, timers are in the way, there is no token, the client waits in
 * real time, or it never stops.
 */
export type RehearsalErrorCode =
  | 'already_running'
  | 'timers_faked'
  | 'no_token'
  | 'stalled'
  | 'endless'

/** Thrown if a rehearsal cannot begin or go on. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError'
  readonly code: RehearsalErrorCode

  constructor(code: RehearsalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
