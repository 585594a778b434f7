import { describe } from '../contract/describe.ts'
import { resolvePolicies } from '../contract/policies.ts'
import type { Seed } from '../contract/fixture.ts'
import { toDateTime } from '../contract/moments.ts'
import type { AnyRecord, RecordOf, RecordReader } from '../contract/records.ts'
import { suggest } from '../contract/suggestion.ts'
import type { RateLimits } from '../contract/token.ts'
import { validate } from '../contract/validation.ts'
import { Clock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import type { EngineMemory } from '../engine/engine.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { ReportProgress } from '../world/progress.ts'
import { Records } from '../world/records.ts'
import { CommandError, recordNotFound } from './command-error.ts'
import { Command } from './commands.ts'
import type { CheckedCommand, ClockCommand, CommandType } from './commands.ts'
import { deleteRecord, patchRecord, putRecord } from './record-commands.ts'
import type { PutResult } from './record-commands.ts'
import { restoreSnapshot, writeSnapshot } from './snapshots.ts'
import type { Snapshot } from './snapshots.ts'

/** The scenarios that a world can be turned into. */
export interface ScenarioLibrary {
  list: readonly { name: string; purpose: string }[]
  /** The world of one that is listed. */
  load: (name: string) => Promise<Seed>
}

/** How a world starts, and starts again after a reset. */
export interface WorldOptions {
  seed: Seed
  /** What random numbers come from, wherever something is made up: any text. */
  randomSeed: string
  scenarios: ScenarioLibrary
  /** Where the world clock starts, over the seed's own. */
  now?: string | undefined
  frozen?: boolean | undefined
  /** Policies by name or id, over the seed's own. */
  policies: Record<string, string>
  /** The limits of tokens that have none of their own. */
  rateLimits: RateLimits
  /** The machine's clock in epoch milliseconds, read at each use. */
  realNow: () => number
}

/** Both clocks as they stand, as datetimes of the wire. */
export interface ClockState {
  /** The world clock. */
  now: string
  frozen: boolean
  /** The clock of rate windows and of `Date`. */
  rate_clock: string
}

/** What each command comes to: the clocks after it, or the record. */
export interface CommandResults {
  reset: ClockState
  'clock.set': ClockState
  'clock.advance': ClockState
  'clock.freeze': ClockState
  'record.put': PutResult
  'record.patch': PutResult
  'record.delete': AnyRecord
  'scenario.load': ClockState
  'snapshot.restore': ClockState
}

/** A command that was applied, in the order of all, with the clocks after it. */
export interface AppliedCommand {
  sequence: number
  command: unknown
  clock: ClockState
}

/** Everything that a reset makes anew. */
interface State {
  clock: Clock
  records: Records
  engine: Engine
  applied: AppliedCommand[]
}

/** What can change a world: a command that was applied, or a request that was answered. */
export type WorldChange = 'command' | 'request'

const MAXIMUM_APPLIED = 10_000

/** Everything one integrator sees, changed by commands alone, one after the other. */
export class World {
  readonly #options: WorldOptions
  #state: State
  #queue: Promise<unknown> = Promise.resolve()
  readonly #watchers = new Set<(change: WorldChange) => void>()

  private constructor(options: WorldOptions, state: State) {
    this.#options = options
    this.#state = state
  }

  static async create(options: WorldOptions): Promise<World> {
    return new World(options, await start(options))
  }

  answer(request: ApiRequest): ApiResponse {
    const response = this.#state.engine.answer(request)
    this.#tell('request')
    return response
  }

  get records(): RecordReader {
    return this.#state.records.indexes
  }

  get scenarios(): ScenarioLibrary['list'] {
    return this.#options.scenarios.list
  }

  get clock(): ClockState {
    return toClockState(this.#state.clock)
  }

  /** The latest commands since the world began or was reset. */
  get applied(): readonly AppliedCommand[] {
    return this.#state.applied
  }

  /**
   * Applies a command after those before it, whole or not at all. Whatever is sent is checked first.
   *
   * @throws CommandError when the command or what it would come to is wrong; nothing has changed then.
   */
  command<Type extends CommandType>(
    command: Extract<Command, { type: Type }>,
  ): Promise<CommandResults[Type]> {
    const sent = toPlain(command)
    return this.#enqueue(() => this.#run(sent)) as Promise<CommandResults[Type]>
  }

  /**
   * Applies commands that move time, one after the other with nothing in between, all or none.
   *
   * @throws CommandError
   */
  moveClock(commands: readonly ClockCommand[]): Promise<ClockState> {
    return this.#enqueue(async () => {
      const { clock, applied } = this.#state
      const restore = clock.save()
      const before = [...applied]
      try {
        for (const command of commands) await this.#run(command)
      } catch (error) {
        restore()
        applied.splice(0, applied.length, ...before)
        throw error
      }
      return this.clock
    })
  }

  /**
   * Patches the report of a project that has a number, as it is when the command's turn comes.
   *
   * @throws CommandError
   */
  patchReport(
    { project, report_number }: Pick<RecordOf<'reports'>, 'project' | 'report_number'>,
    patch: Record<string, unknown>,
  ): Promise<PutResult> {
    const sent = toPlain(patch)
    return this.#enqueue(() => {
      const report = this.records
        .reportsOf(project)
        .find((candidate) => candidate.report_number === report_number)
      if (!report) throw recordNotFound(`Project ${project} has no report ${report_number}.`)
      const command = { type: 'record.patch', collection: 'reports', id: report.id, patch: sent }
      return this.#run(command) as Promise<PutResult>
    })
  }

  /** The world as it stands when the commands before this have been applied; a copy. */
  async snapshot(): Promise<Snapshot> {
    return JSON.parse(await this.snapshotText()) as Snapshot
  }

  /** The same as the text that it is kept as, without the cost of reading it. */
  snapshotText(): Promise<string> {
    return this.#enqueue(async () => {
      requireModestSize(this.#options.seed)
      const { clock, records, engine, applied } = this.#state
      const realMs = this.#options.realNow()
      return writeSnapshot({ clock, records, engine, applied, realMs })
    })
  }

  /** Calls back after every change, until what this returns is called. */
  watch(watcher: (change: WorldChange) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #tell(change: WorldChange): void {
    for (const watcher of this.#watchers) watcher(change)
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#queue.then(work)
    this.#queue = run.catch(() => undefined)
    return run
  }

  async #run(command: unknown): Promise<CommandResults[CommandType]> {
    const checked = validate(Command, command)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const result = await this.#apply(checked.value)
    // A restored world has the commands of the snapshot, which is what led to it.
    if (checked.value.type !== 'snapshot.restore') this.#list(command)
    this.#tell('command')
    return result
  }

  #list(command: unknown): void {
    const { applied } = this.#state
    const sequence = (applied.at(-1)?.sequence ?? 0) + 1
    applied.push({ sequence, command, clock: this.clock })
    if (applied.length > MAXIMUM_APPLIED) applied.shift()
  }

  async #apply(command: CheckedCommand): Promise<CommandResults[CommandType]> {
    const { clock, records, engine } = this.#state
    switch (command.type) {
      case 'reset':
        this.#state = await start(this.#options, records)
        return this.clock
      case 'clock.set':
        engine.refresh()
        clock.set(command.now)
        return this.clock
      case 'clock.advance':
        advance(clock, command)
        return this.clock
      case 'clock.freeze':
        clock.freeze(command.frozen)
        return this.clock
      case 'record.put':
        engine.publish()
        return putRecord(records, command, clock.worldMs())
      case 'record.patch':
        engine.publish()
        return patchRecord(records, command, clock.worldMs())
      case 'record.delete':
        engine.publish()
        return deleteRecord(records, command)
      case 'scenario.load':
        this.#state = await start(await withScenario(command.scenario, this.#options))
        return this.clock
      case 'snapshot.restore':
        this.#state = await resume(this.#options, command.snapshot)
        return this.clock
    }
  }
}

/** A snapshot holds every record, so those that are made up on the way are made for it. */
const MAXIMUM_MADE_UP = 2000

/** @throws CommandError for a world that would not fit into a snapshot. */
function requireModestSize({ generate }: Seed): void {
  if (!generate || generate.projects <= MAXIMUM_MADE_UP) return
  const message = `A world of more than ${MAXIMUM_MADE_UP} made-up projects is too large for a snapshot. Make up fewer.`
  throw new CommandError('invalid_command', [{ path: [], message }])
}

/** What is sent, as it is now: a caller that changes it later changes nothing here. */
function toPlain<Sent>(sent: Sent): Sent {
  try {
    return structuredClone(sent)
  } catch (error) {
    if (!(error instanceof DOMException) && !(error instanceof RangeError)) throw error
    return NOT_PLAIN as Sent
  }
}

/** Stands for what cannot be copied, and is refused by every schema. */
const NOT_PLAIN = 'something that is not plain data'

/** The options of a world with a scenario in place of its own seed. @throws CommandError */
async function withScenario(name: string, options: WorldOptions): Promise<WorldOptions> {
  const names = options.scenarios.list.map((scenario) => scenario.name)
  if (names.includes(name)) return { ...options, seed: await options.scenarios.load(name) }
  const message = `${describe(name)} is not a scenario. ${suggest(name, names)}`
  throw new CommandError('invalid_command', [{ path: ['scenario'], message }])
}

/** A world as it begins; over records that it had already, where it begins again. */
async function start(options: WorldOptions, before?: Records): Promise<State> {
  const { seed, now = seed.now } = options
  const clock = new Clock(options.realNow)
  if (options.frozen ?? seed.frozen ?? false) clock.freeze(true)
  const loadedMs = now === undefined ? clock.worldMs() : clock.set(now)
  const progress = createProgress(options, clock, loadedMs)
  const records = await loadRecords(options, { loadedMs, progress, before })
  return {
    clock,
    records,
    engine: createEngine(options, { clock, records, progress }),
    applied: [],
  }
}

function createProgress(
  { seed, randomSeed }: WorldOptions,
  clock: Clock,
  loadedMs: number,
): ReportProgress {
  const progress = seed.progress ?? { mode: seed.generate ? 'time' : 'manual', reads: 1 }
  return new ReportProgress({ progress, seed: randomSeed, loadedMs, nowMs: () => clock.worldMs() })
}

/** The written records, as they are after a change of what was there `before`, and the generated ones. */
async function loadRecords(
  { seed, randomSeed }: WorldOptions,
  begin: { loadedMs: number; progress: ReportProgress; before: Records | undefined },
): Promise<Records> {
  const { loadedMs, progress, before } = begin
  const { generate } = seed
  const records = generate ? new Records() : (before ?? new Records())
  records.moveReports(progress)
  if (!generate) {
    await records.load(seed.records, loadedMs)
    return records
  }
  const { createGenerator } = await import('../world/generate/generator.ts')
  const generation = { seed: randomSeed, generate, loadedMs, progress }
  const { records: all, generator } = await createGenerator(seed.records, generation)
  await records.load(all, loadedMs)
  records.indexes.generate(generator)
  return records
}

/** A world as it goes on from a snapshot: its clock from the moment when all else is there. */
async function resume(options: WorldOptions, snapshot: Snapshot): Promise<State> {
  const { records, clock: position, memory, applied } = await restoreSnapshot(snapshot)
  const clock = new Clock(options.realNow)
  clock.resume(position)
  const progress = createProgress(options, clock, clock.worldMs())
  records.moveReports(progress)
  return {
    clock,
    records,
    engine: createEngine(options, { clock, records, progress }, memory),
    applied,
  }
}

function createEngine(
  { seed, policies, rateLimits }: WorldOptions,
  { clock, records, progress }: { clock: Clock; records: Records; progress: ReportProgress },
  memory?: EngineMemory,
): Engine {
  return new Engine({
    records: records.indexes,
    clock,
    policies: resolvePolicies(seed.policies, policies),
    rateLimits,
    onRead: (project) => {
      if (progress.countRead(project)) records.indexes.touch()
    },
    ...(memory && { memory }),
  })
}

function advance(clock: Clock, { by }: Extract<CheckedCommand, { type: 'clock.advance' }>): void {
  if (clock.canAdvance(by)) {
    clock.advance(by)
    return
  }
  const message = 'A clock cannot pass the year 9999. Advance it by less.'
  throw new CommandError('invalid_command', [{ path: [], message }])
}

function toClockState(clock: Clock): ClockState {
  return {
    now: toDateTime(clock.worldMs()),
    frozen: clock.isFrozen,
    rate_clock: toDateTime(clock.rateMs()),
  }
}
