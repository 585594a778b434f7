import { describe } from '../../contract/describe.ts'
import { HOUR_MS, parseAbsolute } from '../../contract/moments.ts'
import { PROFILES } from '../../rehearsal/plan.ts'
import type { Profile } from '../../rehearsal/plan.ts'
import { findUnknown } from '../../review/requirements.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Waiver } from '../../session/session.ts'
import { addDuration, parseDuration } from '../../world/duration.ts'
import type { Duration } from '../../world/duration.ts'
import { OptionError } from '../../world/option-error.ts'
import { requireKnown } from '../../world/require-known.ts'

/** What a client gets for a run. */
export interface ClientContext {
  /** The base URL of the sandbox, without the path of the API. */
  url: string
  /** Requests the sandbox. Code that has a `fetch` of its own needs handlers of MSW, or a server. */
  fetch: Sandbox['fetch']
  token: string
  /** When the run begins. */
  now: Date
  /** The number of the run, counted from 1. */
  run: number
}

/** A sandbox, or a server that has one. */
type GivenSandbox = Sandbox | { sandbox: Sandbox; url: string }

/** What is rehearsed: resolved is done, rejected is failed. */
export type RehearsedClient = (context: ClientContext) => unknown

/** The client's own state between runs: what `save` returns is given to `load`, which replaces the state by it. */
export interface ClientState {
  save: () => unknown
  load: (saved: never) => unknown
}

/** A run to begin again with, and the client's state before it; the world before it follows from the plan. */
export interface KeptRun {
  run: number
  /** Absent where the client gives no `state`. */
  state?: unknown
}

export interface RehearseOptions {
  /** How far the runs are apart, as an ISO 8601 duration of at least an hour; `P1D` where omitted. */
  every?: string
  /** How long the rehearsal is, as an ISO 8601 duration; `P12M` where omitted. `smoke` has 30 runs. */
  for?: string
  /** When the first run begins: a day, at 06:00 UTC, or a datetime. The first of the month where omitted. */
  start?: string
  /** `smoke` is 30 runs, `year` as many as fit into `for`, in `storm` nearly each has trouble. `year` where omitted. */
  profile?: Profile
  /** Of the plan, of the world if no sandbox is given, and of `Math.random`; `1` where omitted. */
  seed?: string | number
  /** The sandbox that the client asks, or a server with one; it is reset at the start and at the end. The demo where omitted. */
  sandbox?: GivenSandbox | Promise<GivenSandbox>
  /**
   * What the report has to show: ids of checks, `delivered`, `delivered:new`, `delivered:101`, `warnings`. `delivered` where it is
   * omitted, and nothing where runs are left out by `from` or `until`.
   */
  require?: readonly string[]
  /** What may fail, until a day. */
  waive?: readonly Waiver[]
  /** The client's own state, to begin again before a run. */
  state?: ClientState
  /** The run to begin with, as a report has it in `kept`; the first where omitted. */
  from?: KeptRun | number
  /** The number of the last run; that of the plan where omitted. */
  until?: number
}

/** The options as they are used. */
export interface ReadOptions {
  every: Duration
  for: Duration
  texts: { every: string; for: string }
  /** In epoch milliseconds; undefined where it depends on the world. */
  startMs: number | undefined
  profile: Profile
  seed: string
  sandbox: Sandbox | undefined
  url: string
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
  'require',
  'waive',
  'state',
  'from',
  'until',
]

const MOST_RUNS = 10_000

/** @throws OptionError for an option that is unknown or wrong. */
export async function readOptions(options: RehearseOptions): Promise<ReadOptions> {
  for (const name of Object.keys(options)) requireKnown(name, NAMES, 'rehearse')
  const texts = { every: options.every ?? 'P1D', for: options.for ?? 'P12M' }
  const every = readDuration('every', texts.every)
  const length = readDuration('for', texts.for)
  if (addDuration(0, every) < HOUR_MS)
    throw invalid('every', `${describe(texts.every)} is less than an hour. Use PT1H or longer.`)
  if (addDuration(0, length) / addDuration(0, every) > MOST_RUNS)
    throw invalid(
      'for',
      `That would be more than ${MOST_RUNS} runs. Shorten it, or lengthen every.`,
    )
  const isWhole = options.from === undefined && options.until === undefined
  const { profile = 'year', seed = '1', waive = [] } = options
  const { require = isWhole ? ['delivered'] : [] } = options
  if (!PROFILES.some((known) => known === profile))
    throw invalid('profile', `${describe(profile)} is not a profile. Use ${PROFILES.join(', ')}.`)
  for (const [name, list] of Object.entries({ require, waive: waive.map(({ what }) => what) })) {
    for (const what of list) {
      const problem = findUnknown(what, { isRehearsal: true })
      if (problem !== undefined) throw invalid(name, problem)
    }
  }
  const from = typeof options.from === 'object' ? { ...options.from } : { run: options.from ?? 1 }
  if (from.state !== undefined && !options.state)
    throw invalid('from', 'It has a state, and there is no option state whose load could take it.')
  const { until = MOST_RUNS } = options
  for (const [name, number] of Object.entries({ from: from.run, until })) {
    if (!Number.isInteger(number) || number < 1)
      throw invalid(name, `${describe(number)} is not the number of a run. The first is 1.`)
  }
  if (from.run > until) throw invalid('until', `It is before run ${from.run}, the first.`)
  const given = await options.sandbox
  const served = given && 'sandbox' in given ? given : undefined
  const sandbox = served?.sandbox ?? (given as Sandbox | undefined)
  if (given !== undefined && typeof sandbox?.reset !== 'function')
    throw invalid(
      'sandbox',
      `${describe(given)} is not a sandbox. Give what createSandbox or startServer returns.`,
    )
  return {
    every,
    for: length,
    texts,
    startMs: options.start === undefined ? undefined : readStart(options.start),
    profile,
    seed: String(seed),
    sandbox,
    url: served?.url ?? 'http://localhost',
    require,
    waive,
    state: options.state,
    from,
    until,
  }
}

/** When a run begins on a day that is given without a time: 06:00 UTC. */
export const RUN_HOUR_MS = 6 * HOUR_MS

function readStart(start: unknown): number {
  const moment = typeof start === 'string' ? parseAbsolute(start) : undefined
  if (!moment)
    throw invalid(
      'start',
      `${describe(start)} is not a time. Use one like 2026-01-01 or 2026-01-01T06:00:00Z.`,
    )
  return String(start).includes('T') ? moment.ms : moment.ms + RUN_HOUR_MS
}

function readDuration(name: 'every' | 'for', text: unknown): Duration {
  const duration = typeof text === 'string' ? parseDuration(text) : undefined
  if (duration) return duration
  throw invalid(
    name,
    `${describe(text)} is not an ISO 8601 duration. Use one like P1D, PT12H or P12M.`,
  )
}

function invalid(name: string, message: string): OptionError {
  return new OptionError(`${name}: ${message}`)
}
