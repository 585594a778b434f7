import { describe } from '../contract/describe.ts'
import type { Seed } from '../contract/fixture.ts'
import { resolveMs } from '../contract/moments.ts'
import { resolvePolicies } from '../contract/policies.ts'
import type { Policies } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import type { RateLimits } from '../contract/token.ts'
import { atPlace } from '../contract/validation.ts'
import { Clock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import type { EngineMemory } from '../engine/engine.ts'
import { ReportProgress } from '../world/progress.ts'
import { Records } from '../world/records.ts'
import { CommandError, invalidCommand } from './command-error.ts'
import type { ArmedFault } from './fault.ts'
import { Faults } from './faults.ts'
import { toOwnSnapshot, withOwnTokens } from './own-tokens.ts'
import { findBroken, toIngredients, withDifference } from './snapshots.ts'
import type { Snapshot } from './snapshots.ts'

/** The scenarios that a world can be turned into. */
export interface ScenarioLibrary {
  list: readonly { name: string; purpose: string }[]
  /** The world of one that is listed. */
  load: (name: string) => Promise<Seed>
}

/** How a world starts, and starts again after a reset. */
export interface WorldOptions {
  /** What the world goes by among others. */
  id: string
  /** What the bearer values that it loads or restores end in; nothing for the default world. */
  tokenSuffix: string
  /** Bearer values that commands gave to isolated worlds, which no world of the process may show. */
  givenValues: Set<string>
  /** How many projects may be made up. */
  maximumGenerated: number
  seed: Seed
  /** What random numbers come from, wherever something is made up: any text. */
  randomSeed: string
  scenarios: ScenarioLibrary
  /** Reads fixtures in whichever form they come. @throws what says what is wrong with them. */
  readFixtures: (fixtures: string | object) => Promise<Seed>
  /** Where the world clock starts, over the seed's own. */
  now?: string | undefined
  frozen?: boolean | undefined
  /** Policies by name or id, over the seed's own. */
  policies: Record<string, string>
  /** The limits of tokens that have none of their own. */
  rateLimits: RateLimits
  /** Faults that are armed from the start on, and again after a reset. */
  faults: readonly ArmedFault[]
  /** Whether each answer names the gaps that it rests on. */
  showGaps: boolean
  /** How many requests the journal keeps, and how many steps a session may have. */
  journalSize: number
  /** The machine's clock in epoch milliseconds, read at each use. */
  realNow: () => number
  /** A clock that only tells durations, in milliseconds. */
  timer: () => number
}

/** What a world is at a time: its clocks, its records and how they move, and the API over them. */
export interface WorldState {
  /** What it was loaded from; of one that was resumed what a reset goes back to. */
  seed: Seed
  clock: Clock
  records: Records
  progress: ReportProgress
  faults: Faults
  /** The policies that commands have set, by name. */
  ownPolicies: Record<string, string>
  /** Those in force. */
  policies: Policies
  engine: Engine
}

/**
 * A state that is prepared but for its last step, which takes no time. Until then the state before it answers
 * requests; afterwards that is no more.
 */
export type PreparedState = () => WorldState

/** A world as it begins; over the records that it had before, where it begins again. */
export async function startState(options: WorldOptions, before?: Records): Promise<PreparedState> {
  const { seed, now = seed.now } = options
  const clock = new Clock(options.realNow)
  if (options.frozen ?? seed.frozen ?? false) clock.freeze(true)
  const loadedMs = now === undefined ? clock.worldMs() : clock.set(now)
  const faults = createFaults(options, clock)
  faults.replace(options.faults)
  return loadState(options, {
    clock,
    loadedMs,
    before,
    faults,
    ownPolicies: {},
    recall: () => undefined,
  })
}

/** A world with other fixtures: its clocks, rate windows, faults and policies of commands go on. */
export async function swapFixtures(
  options: WorldOptions,
  { engine, records: before, clock, faults, ownPolicies }: WorldState,
): Promise<PreparedState> {
  const loadedMs = clock.worldMs()
  const recall = () => ({ ...engine.memoryAt(loadedMs), published: undefined })
  return loadState(options, { clock, faults, ownPolicies, loadedMs, before, recall })
}

/** A world with other policies; all else goes on. */
export function setPolicies(
  options: WorldOptions,
  state: WorldState,
  policies: Record<string, string>,
): WorldState {
  const ownPolicies = { ...state.ownPolicies, ...policies }
  const memory = state.engine.memoryAt(state.clock.worldMs())
  return completeState(options, { ...state, ownPolicies, memory })
}

/** A world as it goes on from a snapshot, its clock from the moment when all else is there. @throws CommandError */
export async function resumeState(options: WorldOptions, taken: Snapshot): Promise<WorldState> {
  const { maximumGenerated, tokenSuffix } = options
  const path = ['snapshot', 'origin', 'generation', 'options', 'projects']
  requireFew(taken.origin.generation?.options.projects, { maximumGenerated, path })
  const snapshot = toOwnSnapshot(taken, tokenSuffix)
  const { now, frozen, rate_offset_ms } = snapshot.clock
  const { seed, loaded_at, progress: asProgress, reads } = snapshot.origin
  const worldMs = resolveMs(now, 0)
  const clock = new Clock(options.realNow)
  const progress = new ReportProgress({
    progress: asProgress,
    seed,
    loadedMs: resolveMs(loaded_at, 0),
    nowMs: () => clock.worldMs(),
    reads,
  })
  const { records, published } = await resumeRecords(snapshot, { worldMs, progress })
  clock.resume({ worldMs, frozen, rateOffsetMs: rate_offset_ms })
  const memory = { worldMs, windows: snapshot.rate_windows, published }
  const faults = createFaults(options, clock, snapshot.faults)
  const ownPolicies = snapshot.policies
  const parts = { seed: options.seed, clock, records, progress, faults, ownPolicies }
  return completeState(options, { ...parts, memory })
}

/** The options of a world with a scenario in place of its own seed. @throws CommandError */
export async function withScenario(name: string, options: WorldOptions): Promise<WorldOptions> {
  const names = options.scenarios.list.map((scenario) => scenario.name)
  if (names.includes(name)) return { ...options, seed: await options.scenarios.load(name) }
  const message = `${describe(name)} is not a scenario. ${suggest(name, names)}`
  throw new CommandError('invalid_command', [{ path: ['scenario'], message }])
}

interface Beginning extends Pick<WorldState, 'clock' | 'faults' | 'ownPolicies'> {
  loadedMs: number
  before?: Records | undefined
  /** What the engine of the state before remembers when it is over. */
  recall: () => EngineMemory | undefined
}

async function loadState(options: WorldOptions, beginning: Beginning): Promise<PreparedState> {
  const { seed, randomSeed } = options
  const { clock, loadedMs, faults, ownPolicies, recall } = beginning
  const progress = new ReportProgress({
    progress: seed.progress ?? { mode: seed.generate ? 'time' : 'manual', reads: 1 },
    seed: randomSeed,
    loadedMs,
    nowMs: () => clock.worldMs(),
  })
  const showRecords = await loadRecords(options, { ...beginning, progress })
  return () => {
    const memory = recall()
    const records = showRecords()
    const parts = { seed, clock, records, progress, faults, ownPolicies }
    return completeState(options, { ...parts, memory })
  }
}

/** The written records, as they are after a change of what was there `before`, and the generated ones. */
async function loadRecords(
  { seed, randomSeed, tokenSuffix, maximumGenerated }: WorldOptions,
  {
    loadedMs,
    progress,
    before,
  }: Pick<Beginning, 'loadedMs' | 'before'> & { progress: ReportProgress },
): Promise<() => Records> {
  const { generate } = seed
  const isKept = before !== undefined && !generate && !before.indexes.generated
  const records = isKept ? before : new Records()
  if (!generate) {
    return () => {
      records.moveReports(progress)
      records.load(withOwnTokens(seed.records, tokenSuffix), loadedMs)
      return records
    }
  }
  requireFew(generate.projects, { maximumGenerated, path: ['generate', 'projects'] })
  const { createGenerator } = await import('../world/generate/generator.ts')
  const generation = { seed: randomSeed, generate, loadedMs, progress }
  const { records: all, generator } = await createGenerator(seed.records, generation)
  records.moveReports(progress)
  records.load(withOwnTokens(all, tokenSuffix), loadedMs)
  records.indexes.generate(generator)
  return () => records
}

/**
 * The records of a snapshot, and those that answers still show in their place.
 *
 * @throws CommandError for records that do not fit together.
 */
async function resumeRecords(
  snapshot: Snapshot,
  { worldMs, progress }: { worldMs: number; progress: ReportProgress },
): Promise<{ records: Records; published: RecordReader | undefined }> {
  const records = new Records()
  records.moveReports(progress)
  const ingredients = toIngredients(snapshot.origin)
  if (ingredients) {
    const { resumeGenerator } = await import('../world/generate/generator.ts')
    records.indexes.generate(await resumeGenerator(ingredients, progress))
  }
  const before = snapshot.published && withDifference(snapshot.records, snapshot.published)
  if (before) {
    records.resume(before, worldMs)
    refuse(findBroken(before, records.indexes, ['published']))
  }
  // Taken before the records that follow it, so that its revision is below theirs.
  const published = before ? records.indexes.snapshot() : undefined
  records.resume(snapshot, worldMs)
  refuse(findBroken(snapshot, records.indexes, ['records']))
  return { records, published }
}

/** @throws CommandError */
function requireFew(
  projects = 0,
  { maximumGenerated, path }: { maximumGenerated: number; path: string[] },
): void {
  if (projects <= maximumGenerated) return
  const message = `This world has at most ${maximumGenerated} made-up projects, and ${projects} are asked for. Have fewer made up.`
  throw invalidCommand({ path, message })
}

function refuse(problems: ReturnType<typeof findBroken>): void {
  if (problems.length === 0) return
  throw new CommandError('invalid_command', atPlace(['snapshot'], problems))
}

function createFaults(
  { randomSeed }: WorldOptions,
  clock: Clock,
  saved?: Snapshot['faults'],
): Faults {
  return new Faults({ randomSeed, nowMs: () => clock.worldMs(), saved })
}

type Incomplete = Omit<WorldState, 'engine' | 'policies'> & { memory?: EngineMemory | undefined }

/** The API over a world whose clocks and records there are. */
function completeState(
  { policies: asCreated, rateLimits }: WorldOptions,
  { memory, ...world }: Incomplete,
): WorldState {
  const { seed, clock, records, progress, ownPolicies } = world
  const policies = resolvePolicies(seed.policies, asCreated, ownPolicies)
  const engine = new Engine({
    records: records.indexes,
    clock,
    policies,
    rateLimits,
    onRead: (project) => progress.countRead(project),
    ...(memory && { memory }),
  })
  return { ...world, policies, engine }
}
