import type { Explanation } from '../contract/explanation.ts'
import type { ExplanationOptions } from '../contract/explanation-options.ts'
import { DEFAULT_CHANGES } from '../contract/limits.ts'
import { resolveMs, toDateTime } from '../contract/time.ts'
import { listGaps } from '../contract/policies.ts'
import type { Policies } from '../contract/policies.ts'
import type { CollectionName } from '../contract/collection-facts.ts'
import type { RecordOf } from '../contract/records.ts'
import type { GapStatus, RateLimitStatus } from '../contract/control-status.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { LiveRecords } from '../engine/stale-view.ts'
import type { ClockState } from '../journal/applied-command.ts'
import { Journal } from '../journal/journal.ts'
import type { RecordedRequest, ResponseEnd } from '../journal/recorded-request.ts'
import { Secrets } from '../journal/secrets.ts'
import { toCommand, toPlain } from './change.ts'
import type { Change, ReportCommand, ReportName } from './change.ts'
import { toClockState, PinnedClock } from './clocks.ts'
import type { Additions, CommandDefinition, Loaded, WorldParts } from './commands/command.ts'
import type { ClockCommand, Command, CommandResults, CommandType } from './commands/index.ts'
import type { AppliedChange } from './commands/prepare-command.ts'
import type { PutResult } from './commands/record-changes.ts'
import type { FaultStatus } from './faults/fault-status.ts'
import { handleRequest, turnAway } from './handle-request.ts'
import type { EndOptions } from './handle-request.ts'
import type { PositionSource } from './keyword-positions.ts'
import type { GenerationInput } from '../records/generation/project-plan.ts'
import type { RecordState } from '../records/world-records.ts'
import type { Snapshot } from './snapshot.ts'
import type { SeedKeys, StoredWorld } from './stored-world.ts'
import { WorldSubscribers } from './world-subscriber.ts'
import type { WorldSubscriber } from './world-subscriber.ts'
import { sizeOfWorld } from './world-size.ts'
import type { WorldSize } from './world-size.ts'
import { startState } from './world-state.ts'
import type { WorldOptions, WorldState } from './world-state.ts'

const NO_ENDS: EndOptions = {}

/** The world of one integrator. Apart from requests, only commands change it, one after the other. */
export class World {
  /** Time of creation, by the machine's clock in epoch milliseconds. */
  readonly createdMs: number
  readonly #machineClock: PinnedClock
  readonly #parts: WorldParts
  #queue: Promise<unknown> = Promise.resolve()
  readonly #subscribers = new WorldSubscribers()

  private constructor(
    options: WorldOptions,
    created: { machineClock: PinnedClock; createdMs: number; state: WorldState },
  ) {
    this.#machineClock = created.machineClock
    this.createdMs = created.createdMs
    const secrets = new Secrets(options)
    const journal = new Journal({
      world: options.id,
      maximumRequests: options.journalSize,
      redactor: () => secrets.redactor,
      errors: options.errors,
    })
    this.#parts = { options, state: created.state, journal, secrets }
    secrets.keep(this.records.all('tokens'))
  }

  static create(options: WorldOptions): Promise<World> {
    return World.#start(options, async (pinned) => (await startState(pinned))())
  }

  /**
   * Continues a stored world. The machine's clock must show the time at which the world was stored.
   *
   * @param options The options that the world was created with.
   */
  static async resume(options: WorldOptions, stored: StoredWorld, seeds: SeedKeys): Promise<World> {
    const { resumeWorld, resumeJournal } = await import('./stored-world.ts')
    const resumedOptions = { ...options, seed: seeds.seedOf(stored.seed) }
    const resume = (pinned: WorldOptions) => resumeWorld(pinned, stored, seeds)
    const world = await World.#start(resumedOptions, resume, stored.created_ms)
    resumeJournal(world.#parts, stored)
    return world
  }

  static #start(
    options: WorldOptions,
    start: (pinned: WorldOptions) => Promise<WorldState>,
    startedMs?: number,
  ): Promise<World> {
    const machineClock = new PinnedClock(options.realNow)
    const pinned = { ...options, realNow: machineClock.now }
    return machineClock.pinDuring(async (nowMs) => {
      const state = await start(pinned)
      return new World(pinned, { machineClock, createdMs: startedMs ?? nowMs, state })
    })
  }

  handle(request: ApiRequest, { responseEnd, logEnd }: EndOptions = NO_ENDS): ApiResponse {
    const startedMs = this.#parts.options.timer?.() ?? 0
    const subscribers = this.#subscribers
    return this.#machineClock.pin((atMs) =>
      handleRequest(this.#parts, request, { subscribers, atMs, startedMs, responseEnd, logEnd }),
    )
  }

  /** Records the end of the response to an earlier request, in a replay or from the log of a store. */
  endResponse(recorded: RecordedRequest, responseEnd: ResponseEnd | undefined): void {
    recorded.responseEnd = responseEnd
    this.#subscribers.notify('onResponseEnd', recorded, this.options.errors)
  }

  /**
   * Rejects a request whose token is missing, unknown or not admitted, without recording the request; undefined for any other
   * request.
   */
  turnAway(
    request: ApiRequest,
    admits: (token: RecordOf<'tokens'>) => boolean,
  ): ApiResponse | undefined {
    return this.#machineClock.pin(() => turnAway(this.#parts, request, admits))
  }

  /** Options that the world was created with; `seed` is the one that a reset returns to. */
  get options(): Readonly<WorldOptions> {
    return this.#parts.options
  }

  /** Seed that the world was loaded from or, after a snapshot was restored, the seed that a reset returns to. */
  get seed(): WorldState['seed'] {
    return this.#parts.state.seed
  }

  get records(): LiveRecords {
    return this.#parts.state.records.indexes
  }

  /** Input that the records were generated from; undefined in a world without generated records. */
  get generation(): GenerationInput | undefined {
    return this.#parts.state.records.indexes.generated?.input
  }

  /** Returns the stored state of a record, which `record.restore` restores. */
  recordState(collection: CollectionName, id: number): RecordState {
    return this.#parts.state.records.stateOf(collection, id)
  }

  /**
   * Time of the load, by the world clock. `isRestored` is true if a snapshot has replaced the state since the world was created or
   * reset.
   */
  get origin(): { loadedAt: string; isRestored: boolean } {
    const { progress, isRestored = false } = this.#parts.state
    return { loadedAt: toDateTime(progress.save().loadedMs), isRestored }
  }

  /** Returns the projects whose name or domain contains `text`, ignoring case, by ascending id. */
  findProjects(text: string): readonly RecordOf<'projects'>[] {
    return this.#parts.state.engine.findProjects(text)
  }

  get clock(): ClockState {
    return toClockState(this.#parts.state.clock)
  }

  /**
   * Secret that signs the URLs of report pages. That of an isolated world is random; that of the default world is derived from
   * the seed of random numbers, which snapshots contain.
   */
  get linkSecret(): string {
    return `${this.#parts.options.tokenSuffix} ${this.#parts.state.progress.seed}`
  }

  /** The latest requests and commands since the world was created, reset, or replaced by a scenario or snapshot. */
  get journal(): Journal {
    return this.#parts.journal
  }

  /** Bearer values and the admin key, which no output may show. */
  get secrets(): Secrets {
    return this.#parts.secrets
  }

  /** The armed faults, with their counts so far. */
  get faults(): FaultStatus[] {
    return this.#parts.state.faults.list()
  }

  get policies(): Policies {
    return this.#parts.state.policies
  }

  /** The gaps of the specification, and the behaviour of this world for each. */
  get gaps(): GapStatus[] {
    return listGaps(this.policies, this.#parts.options.seenPolicies)
  }

  /** The rate windows of all tokens, by ascending id of the token. Reading them counts no request. */
  get rateLimits(): RateLimitStatus {
    const { clock, engine, policies } = this.#parts.state
    return this.#machineClock.pin(() => ({
      rate_clock: toDateTime(clock.rateMs()),
      rate_window: policies['rate-window'],
      tokens: this.records.all('tokens').map((token) => ({
        token_id: token.id,
        token: this.secrets.redactor.inText(token.name),
        ...engine.gaugesOf(token),
      })),
    }))
  }

  /** Explains the latest and the last generated report of a project; undefined for an unknown project. */
  explain(
    project: number,
    { at = 'now', changes = DEFAULT_CHANGES }: ExplanationOptions,
  ): Explanation | undefined {
    return this.#machineClock.pin(() => {
      const { clock, engine } = this.#parts.state
      return engine.explain(project, { atMs: resolveMs(at, clock.worldMs()), changes })
    })
  }

  get positionSource(): PositionSource {
    return this.#parts.state
  }

  get size(): WorldSize {
    return sizeOfWorld(this.#parts.state)
  }

  /**
   * Returns the growth that a command causes; undefined for a command that never makes a world larger. `loaded` is the data that
   * the command has loaded.
   */
  async additionsBy(
    { adds }: CommandDefinition,
    command: object,
    loaded?: Loaded,
  ): Promise<Additions | undefined> {
    return adds?.(this.#parts, command as never, loaded as never)
  }

  /**
   * Validates a command and applies it after all earlier ones, completely or not at all.
   *
   * @throws CommandError if the command is invalid or cannot be applied, and FixtureError for invalid fixtures. In both cases
   * nothing has changed.
   */
  async command<Type extends CommandType>(
    command: Extract<Command, { type: Type }>,
  ): Promise<CommandResults[Type]> {
    return this.apply(toPlain(command))
  }

  /** Same as `command`, for plain data that nobody else has a reference to, such as the body of a request. */
  async apply<Type extends CommandType>(
    command: Extract<Command, { type: Type }>,
  ): Promise<CommandResults[Type]> {
    return this.perform({ command }) as Promise<CommandResults[Type]>
  }

  /** Applies several commands that move time, all or none, with nothing in between. @throws CommandError */
  moveClock(commands: readonly ClockCommand[]): Promise<ClockState> {
    return this.perform({ move_clock: commands }) as Promise<ClockState>
  }

  /** Applies a command about a report, which is looked up by its number after all earlier commands. @throws CommandError */
  commandReport<Type extends ReportCommand['type']>(
    report: ReportName,
    command: Omit<Extract<ReportCommand, { type: Type }>, 'id' | 'report'>,
  ): Promise<CommandResults[Type]> {
    return this.perform({ report, command }) as Promise<CommandResults[Type]>
  }

  /** Adds a record, if its id is free after all earlier commands. @throws CommandError */
  async addRecord(collection: CollectionName, record: Record<string, unknown>): Promise<PutResult> {
    return this.perform({ add_record: toPlain(record), collection }) as Promise<PutResult>
  }

  /**
   * Applies a change after all earlier ones. Returns the result of its command or, for clock commands that are applied together,
   * both clocks.
   *
   * @throws CommandError for an invalid change, FixtureError for invalid fixtures; nothing has changed then.
   */
  perform(change: Change): Promise<unknown> {
    return this.options.order?.(change) ?? this.applyChange(change)
  }

  /** Same as `perform`, but bypasses the log of a store. `loaded` is the data that the command loads, if known. */
  applyChange(change: Change, loaded?: Loaded): Promise<unknown> {
    return this.afterCommands(async () => {
      if (!('move_clock' in change)) return this.#run(toCommand(change, this.records), loaded)
      const { applyTogether } = await import('./commands/prepare-command.ts')
      await applyTogether(this.#parts, change.move_clock, (applied) => this.#record(applied))
      return this.clock
    })
  }

  /** Returns a copy of the state after all earlier commands. */
  async snapshot(): Promise<Snapshot> {
    let text = ''
    await this.writeSnapshot((piece) => (text += piece))
    return JSON.parse(text) as Snapshot
  }

  /** Writes a snapshot as JSON, piece by piece, after all earlier commands. */
  writeSnapshot(write: (piece: string) => void): Promise<void> {
    return this.afterCommands(async () => {
      const { takeSnapshot } = await import('./take-snapshot.ts')
      const { jsonPieces } = await import('../contract/json-pieces.ts')
      const { options, state, journal } = this.#parts
      const snapshot = takeSnapshot({ world: state, journal, realMs: options.realNow() })
      for (const piece of jsonPieces(snapshot)) write(piece)
    })
  }

  /** Returns the whole world after all earlier commands, for {@link World.resume}. */
  store(seeds: SeedKeys): Promise<Readonly<StoredWorld>> {
    return this.afterCommands(async () => {
      const { storeWorld } = await import('./stored-world.ts')
      return storeWorld(this.#parts, { createdMs: this.createdMs, ...seeds })
    })
  }

  /** Runs work after all earlier commands and before any later one. */
  afterCommands<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#queue.then(() => this.#machineClock.pinDuring(work))
    this.#queue = run.catch(() => undefined)
    return run
  }

  /** Notifies a subscriber of every request and command; returns the function that unsubscribes it. */
  subscribe(subscriber: WorldSubscriber): () => void {
    return this.#subscribers.add(subscriber)
  }

  async #run(command: unknown, loadedBefore?: Loaded): Promise<CommandResults[CommandType]> {
    // Loaded on demand, because a page that only reads needs no commands.
    const { prepareCommand } = await import('./commands/prepare-command.ts')
    const { definition, apply } = await prepareCommand(this.#parts, command, loadedBefore)
    this.#subscribers.notify('onBeforeCommand', definition, this.options.errors)
    const applied = apply()
    this.#record(applied)
    return applied.result
  }

  #record({ definition, command, result, clock, loaded, listed }: AppliedChange): void {
    const { journal, secrets, options } = this.#parts
    secrets.keep(this.records.all('tokens'))
    if (listed !== null) journal.addCommand(listed, clock)
    const [{ sequence }, atMs] = [journal, this.#machineClock.now()]
    const event = { definition, command, result, loaded, sequence, atMs }
    this.#subscribers.notify('onCommand', event, options.errors)
  }
}
