import { resolvePolicies } from '../contract/policies.ts'
import type { Policies, SeenPolicy } from '../contract/policies.ts'
import type { RecordSet } from '../contract/records.ts'
import type { TokenRecord } from '../contract/token.ts'
import type { EngineState } from '../engine/engine-options.ts'
import { Engine } from '../engine/engine.ts'
import { GapFinder } from '../engine/gap-finder.ts'
import type { GapWindows } from '../engine/gap-finder.ts'
import type { Seed } from '../fixtures/seed.ts'
import type { GivenValues } from '../journal/bearer-finder.ts'
import type { SubscriberErrors } from '../journal/subscribers.ts'
import { withNamespacedTokens } from '../records/bearer-tokens.ts'
import { ReportProgress } from '../records/report-progress.ts'
import { Records } from '../records/world-records.ts'
import { Clock } from './clocks.ts'
import { invalidCommand } from './command-error.ts'
import type { ArmedFault } from './faults/fault.ts'
import { Faults } from './faults/faults.ts'
import type { FaultWithKind } from './faults/faults.ts'
import type { WorldSettings } from './options/table.ts'

export interface ScenarioLibrary {
  list: () => Promise<readonly { name: string; purpose: string }[]>
  load: (name: string) => Promise<Seed>
}

/** Options with which a world starts, and restarts after a reset. */
export interface WorldOptions {
  id: string
  /** Suffix of the bearer values that the world loads or restores; empty for the default world. */
  tokenSuffix: string
  /**
   * True if bearer values that commands set also get the suffix, so that each of them identifies its world; false if omitted.
   */
  suffixesAll?: boolean
  /** Secrets that no world of the process may show: bearer values that commands gave to isolated worlds, and the admin key. */
  givenValues: GivenValues
  maximumGenerated: number
  seed: Seed
  settings: WorldSettings
  /** Options that a comparison observed in the service, by policy. */
  seenPolicies?: Readonly<Record<string, SeenPolicy>>
  scenarios: ScenarioLibrary
  /** Reads fixtures: an object, a YAML string, or `{ files }`. @throws FixtureError for invalid ones. */
  readFixtures: (fixtures: string | object) => Promise<Seed>
  /** Maximum number of requests in the journal, and of steps in a session. */
  journalSize: number
  /** Returns the machine's time in epoch milliseconds. Never cached, so that a test's fake timers move the clocks. */
  realNow: () => number
  /** Clock for durations only, in milliseconds; if omitted, durations are not measured. */
  timer?: (() => number) | undefined
  /** True if delays of responses use the current global timers, which a test may have faked; false if omitted. */
  followsTimers?: boolean
  /**
   * Sends a `Change` to the store, which orders the changes of all servers, and resolves once this server has applied it.
   * Undefined without a store.
   */
  order?: ((change: object) => Promise<unknown>) | undefined
  /** Receives the errors of subscribers; all worlds of the process share it. */
  errors: SubscriberErrors
}

/** The current state of a world: its clocks, its records and their progress, and the API over them. */
export interface WorldState {
  /** Seed that the world was loaded from; for a restored world, the seed that a reset returns to. */
  seed: Seed
  /** True if the state was restored from a snapshot, perhaps of another world; false if omitted. */
  isRestored?: boolean
  clock: Clock
  records: Records
  progress: ReportProgress
  faults: Faults
  /** The policies that commands have set, by name. */
  commandPolicies: Record<string, string>
  policies: Policies
  engine: Engine
  /** Undefined if responses don't name gaps. */
  gapFinder: GapFinder | undefined
}

/**
 * Completes a prepared state, synchronously. The previous state handles requests until this call, and must not be used
 * afterwards.
 */
export type PreparedState = () => WorldState

/**
 * Prepares the initial state of a world. A restart reuses the records in `before` if possible.
 *
 * @throws CommandError for more generated projects or longer bearer values than a world may have.
 */
export async function startState(options: WorldOptions, before?: Records): Promise<PreparedState> {
  const { seed, settings } = options
  const { now = seed.now, latency } = settings
  const clock = new Clock(options.realNow)
  if (settings.frozen ?? seed.frozen ?? false) clock.freeze(true)
  const loadedMs = now === undefined ? clock.worldMs() : clock.set(now)
  const faults = createFaults(options, clock)
  faults.replace(latency ? [await findKind(latency)] : [])
  return loadState(options, {
    clock,
    loadedMs,
    before,
    faults,
    commandPolicies: {},
    saveEngine: () => undefined,
  })
}

/**
 * Prepares the state with the seed in `options`. Clocks, rate windows, faults and the policies of commands stay the same.
 *
 * @throws CommandError for more generated projects or longer bearer values than a world may have.
 */
export async function swapFixtures(
  options: WorldOptions,
  { engine, clock, faults, commandPolicies }: WorldState,
): Promise<PreparedState> {
  const loadedMs = clock.worldMs()
  const saveEngine = () => ({ ...engine.saveState(loadedMs), staleView: undefined })
  return loadState(options, { clock, faults, commandPolicies, loadedMs, saveEngine })
}

/** Returns the state with these policies added to those that commands have set. */
export function setPolicies(
  options: WorldOptions,
  state: WorldState,
  policies: Record<string, string>,
): WorldState {
  const commandPolicies = { ...state.commandPolicies, ...policies }
  const engineState = state.engine.saveState(state.clock.worldMs())
  return completeState(options, { ...state, commandPolicies, engineState })
}

interface LoadContext extends Pick<WorldState, 'clock' | 'faults' | 'commandPolicies'> {
  loadedMs: number
  before?: Records | undefined
  /** Returns the state to take over from the previous engine; undefined to start afresh. Called when the load completes. */
  saveEngine: () => EngineState | undefined
}

async function loadState(options: WorldOptions, context: LoadContext): Promise<PreparedState> {
  const { seed, settings } = options
  const { clock, loadedMs, faults, commandPolicies, saveEngine } = context
  const progress = new ReportProgress({
    progress: seed.progress ?? { mode: seed.generate ? 'time' : 'manual', reads: 1 },
    seed: settings.seed,
    loadedMs,
    clock,
  })
  if (progress.isMoving) await progress.texts.loadFor(seed.records)
  const showRecords = await loadRecords(options, { ...context, progress })
  return () => {
    const engineState = saveEngine()
    const records = showRecords()
    const parts = { seed, clock, records, progress, faults, commandPolicies }
    return completeState(options, { ...parts, engineState })
  }
}

/**
 * Prepares the records of the fixture and the generated ones. May reuse `before`, but leaves it unchanged until the returned
 * function is called.
 */
async function loadRecords(
  { seed, settings, tokenSuffix, maximumGenerated }: WorldOptions,
  {
    loadedMs,
    progress,
    before,
  }: Pick<LoadContext, 'loadedMs' | 'before'> & { progress: ReportProgress },
): Promise<() => Records> {
  requireShortTokens(seed.records.tokens, ['tokens'])
  const { generate } = seed
  if (before && !generate && before.canReload(seed.records)) {
    return () => {
      before.moveReports(progress)
      before.load(withNamespacedTokens(seed.records, tokenSuffix), loadedMs)
      return before
    }
  }
  const records = new Records()
  records.moveReports(progress)
  const load = (set: RecordSet): void =>
    records.load(withNamespacedTokens(set, tokenSuffix), loadedMs)
  if (!generate) {
    load(seed.records)
    return () => records
  }
  requireFew(generate.projects, { maximumGenerated, path: ['generate', 'projects'] })
  const { createGenerator } = await import('../records/generation/generator.ts')
  const generation = { seed: settings.seed, generate, loadedMs, progress }
  const { records: all, generator } = await createGenerator(seed.records, generation)
  load(all)
  records.generate(generator)
  return () => records
}

export function createFaults({ settings }: WorldOptions, clock: Clock): Faults {
  return new Faults({ randomSeed: settings.seed, nowMs: () => clock.worldMs() })
}

/** Kinds are loaded on demand, because most worlds have no faults. */
async function findKind(fault: ArmedFault): Promise<FaultWithKind> {
  const { withKind } = await import('./faults/with-kind.ts')
  return withKind(fault)
}

type IncompleteState = Omit<WorldState, 'engine' | 'gapFinder' | 'policies'> & {
  engineState?: EngineState | undefined
  gapWindows?: GapWindows | undefined
}

/** Completes a state with the API over its clocks and records. */
export function completeState(
  { settings }: WorldOptions,
  { engineState, gapWindows, ...world }: IncompleteState,
): WorldState {
  const { seed, clock, records, progress, commandPolicies } = world
  const policies = resolvePolicies(seed.policies, settings.policies, commandPolicies)
  const engine = new Engine({
    records: records.indexes,
    clock,
    policies,
    rateLimits: settings.rateLimit,
    isCopied: settings.showGaps,
    onRead: (project) => {
      const hasMoved = progress.countRead(project, () => records.indexes.reportMovesOf(project))
      if (hasMoved) gapFinder?.forgetBodies()
      return hasMoved
    },
    ...(engineState && { state: engineState }),
  })
  const gapFinder: GapFinder | undefined = settings.showGaps
    ? new GapFinder({ engine, policies, worldMs: () => clock.worldMs(), gapWindows })
    : undefined
  return { ...world, policies, engine, gapFinder }
}

/** Refuses more generated projects than a world may have. @throws CommandError */
export function requireFew(
  projects = 0,
  { maximumGenerated, path }: { maximumGenerated: number; path: string[] },
): void {
  if (projects <= maximumGenerated) return
  const message = `This world has at most ${maximumGenerated} generated projects, and ${projects} were requested. Generate fewer.`
  throw invalidCommand({ path, message })
}

/** Maximum total length of bearer values, in characters. All output is searched for them, in time proportional to it. */
const MAXIMUM_BEARER_LENGTH = 1_000_000

/** Refuses bearer values that are longer than `MAXIMUM_BEARER_LENGTH` in total. @throws CommandError */
export function requireShortTokens(tokens: readonly TokenRecord[], path: string[]): void {
  const length = tokens.reduce((sum, { token }) => sum + token.length, 0)
  if (length <= MAXIMUM_BEARER_LENGTH) return
  const message = `The bearer values have ${length} characters together, and a world has at most ${MAXIMUM_BEARER_LENGTH}. Use fewer or shorter ones.`
  throw invalidCommand({ path, message })
}
