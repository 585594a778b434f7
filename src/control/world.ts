import type { Seed } from '../contract/fixture.ts'
import { toDateTime } from '../contract/moments.ts'
import type { Policies } from '../contract/policies.ts'
import type { AnyRecord, RecordOf, RecordReader } from '../contract/records.ts'
import { atPlace, validate } from '../contract/validation.ts'
import type { Path } from '../contract/validation.ts'
import type { Clock } from '../engine/clock.ts'
import type { Visit } from '../engine/engine.ts'
import type { Explanation } from '../engine/explanation.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { AppliedCommand } from './answers/applied-command.ts'
import type { ClockState } from './answers/clock-state.ts'
import type { PutResult } from './answers/command-result.ts'
import type { ListedFault } from './answers/listed-fault.ts'
import { applyFaults } from './apply-faults.ts'
import { CommandError, invalidCommand, recordNotFound } from './command-error.ts'
import { Command } from './commands.ts'
import type { CheckedCommand, ClockCommand, CommandType } from './commands.ts'
import { resolveFault } from './fault.ts'
import { withGapsHeader } from './gap-list.ts'
import type { ArmedFault, Fault } from './fault.ts'
import { tellEach } from './followers.ts'
import { HeldClock } from './held-clock.ts'
import { Journal } from './journal.ts'
import { withOwnTokens } from './own-tokens.ts'
import { deleteRecord, patchRecord, putRecord } from './record-commands.ts'
import { redactData } from './redaction.ts'
import { Secrets } from './secrets.ts'
import { SessionRecorder } from './session-recorder.ts'
import type { RecordedCommand } from './session-recorder.ts'
import type { Session } from './session.ts'
import { writeSnapshot } from './snapshots.ts'
import type { Snapshot } from './snapshots.ts'
import { resumeState, setPolicies, startState, swapFixtures, withScenario } from './world-state.ts'
import type { ScenarioLibrary, WorldOptions, WorldState } from './world-state.ts'

/** What each command comes to: the clocks after it, or the record. */
export interface CommandResults {
  reset: ClockState
  'clock.set': ClockState
  'clock.advance': ClockState
  'clock.freeze': ClockState
  'record.put': PutResult
  'record.patch': PutResult
  'record.delete': AnyRecord
  'policy.set': Policies
  'fault.add': ListedFault
  'fault.set': ListedFault[]
  'fault.remove': ListedFault
  'journal.clear': ClockState
  'scenario.load': ClockState
  'fixtures.load': ClockState
  'snapshot.restore': ClockState
}

/** What can change a world: a command that was applied, or a request that was answered. */
export type WorldChange = 'command' | 'request'

/** Everything one integrator sees, changed by commands alone, one after the other. */
export class World {
  readonly #machine: HeldClock
  readonly #journal: Journal
  readonly #session: SessionRecorder
  readonly #secrets: Secrets
  #options: WorldOptions
  #state: WorldState
  #queue: Promise<unknown> = Promise.resolve()
  readonly #watchers = new Set<(change: WorldChange) => void>()

  private constructor(
    options: WorldOptions,
    parts: { machine: HeldClock; madeAtMs: number; state: WorldState },
  ) {
    this.#options = options
    this.#machine = parts.machine
    this.#state = parts.state
    this.#session = new SessionRecorder(options, parts.madeAtMs)
    this.#secrets = new Secrets(options)
    const secrets = () => this.#secrets.list()
    const { id, journalSize } = options
    this.#journal = new Journal({ world: id, maximumRequests: journalSize, secrets })
    this.#secrets.keep(this.records.all('tokens'))
  }

  static async create(options: WorldOptions): Promise<World> {
    const machine = new HeldClock(options.realNow)
    const held = { ...options, realNow: machine.now }
    return machine.holdDuring(async (madeAtMs) => {
      const start = await startState(held)
      return new World(held, { machine, madeAtMs, state: start() })
    })
  }

  answer(request: ApiRequest): ApiResponse {
    const { timer, showGaps } = this.#options
    const startedMs = timer()
    const response = this.#machine.hold((atMs) => {
      const { clock, engine } = this.#state
      const [worldMs, rateMs] = [clock.worldMs(), clock.rateMs()]
      const visit = engine.identify(request)
      const given = this.#answerVisit(request, visit)
      const answered = showGaps ? withGapsHeader(given) : given
      const recorded = this.#journal.addRequest(
        {
          request,
          visit,
          response: answered,
          atMs,
          worldMs,
          rateMs,
          durationMs: timer() - startedMs,
        },
        this.#session.isWhole,
      )
      this.#session.addRequest(recorded)
      return answered
    })
    this.#tell('request')
    return response
  }

  /** What the world was made of, which a reset goes back to. */
  get seed(): Seed {
    return this.#options.seed
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

  /** What was asked and told since the world began or was reset. */
  get journal(): Journal {
    return this.#journal
  }

  /** The latest commands since the world began or was reset. */
  get applied(): readonly AppliedCommand[] {
    return this.#journal.commands
  }

  /** The faults that are armed, and what has become of each. */
  get faults(): ListedFault[] {
    return this.#state.faults.list()
  }

  /** The policies in force. */
  get policies(): Policies {
    return this.#state.policies
  }

  /** Why a project has the latest and the last generated report that it has; undefined where there is no such project. */
  explain(project: number): Explanation | undefined {
    return this.#machine.hold(() => this.#state.engine.explain(project))
  }

  /**
   * Applies a command after those before it, whole or not at all. Whatever is sent is checked first.
   *
   * @throws CommandError when the command or what it would come to is wrong, FixtureError for fixtures
   *   that are; nothing has changed then.
   */
  async command<Type extends CommandType>(
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
      const { clock, engine } = this.#state
      const restoreAll = [clock.save(), engine.saveShown()]
      const changes: Change[] = []
      for (const command of commands) changes.push(await this.#prepare(command))
      try {
        const applied = changes.map((change) => change())
        for (const one of applied) this.#takeDown(one)
      } catch (error) {
        for (const restore of restoreAll) restore()
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
  async patchReport(
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
      const realMs = this.#options.realNow()
      return writeSnapshot({ world: this.#state, journal: this.#journal, realMs })
    })
  }

  /**
   * All that was asked and told since the world was made or last made anew, to be played again.
   *
   * @throws CommandError where that is too much to be kept.
   */
  session(): Promise<Session> {
    return this.#enqueue(async () => this.#session.write(this.#secrets))
  }

  /** Calls back after every change, until what this returns is called. */
  watch(watcher: (change: WorldChange) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #answerVisit(request: ApiRequest, visit: Visit): ApiResponse {
    const { clock, engine, faults } = this.#state
    const answer = () => engine.answer(request, visit)
    if (faults.isEmpty) return answer()
    const { route, token } = visit
    const fired = faults.take({
      operation: route?.operation,
      project: route?.project ?? undefined,
      token: token?.id,
    })
    return applyFaults(fired, {
      operation: route?.operation,
      rateMs: clock.rateMs(),
      identifiedBy: visit.policies,
      answer,
      reject: (problem) => engine.reject(request, visit, problem),
    })
  }

  #tell(change: WorldChange): void {
    tellEach(this.#watchers, change)
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#queue.then(() => this.#machine.holdDuring(work))
    this.#queue = run.catch(() => undefined)
    return run
  }

  async #run(command: unknown): Promise<CommandResults[CommandType]> {
    const change = await this.#prepare(command)
    const applied = change()
    this.#takeDown(applied)
    return applied.result
  }

  /** All of a command that takes time. What it comes to is not there before the change is called. */
  async #prepare(command: unknown): Promise<Change> {
    const checked = validate(Command, command)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const { type } = checked.value
    const loaded = await this.#load(checked.value)
    const carryOut = await this.#prepareChecked(checked.value, loaded ?? this.#options)
    return () => {
      const result = carryOut()
      return { type, command: command as object, result, clock: this.clock, seed: loaded?.seed }
    }
  }

  /** The options of a world with what a command loads in place of its seed; undefined for one that loads nothing. */
  async #load(command: CheckedCommand): Promise<WorldOptions | undefined> {
    const options = this.#options
    if (command.type === 'scenario.load') return withScenario(command.scenario, options)
    if (command.type !== 'fixtures.load') return undefined
    return { ...options, seed: await options.readFixtures(command.fixtures) }
  }

  #takeDown({ type, command, clock, seed }: Applied): void {
    this.#secrets.keep(this.records.all('tokens'))
    // A restored world has the commands of the snapshot, which is what led to it.
    if (type !== 'snapshot.restore') {
      this.#journal.addCommand(redactData(withoutFixtures(command), this.#secrets.list()), clock)
    }
    this.#recordStep({ command: { ...command, type }, seed })
    this.#tell('command')
  }

  #recordStep({ command, seed }: Pick<RecordedCommand, 'command' | 'seed'>): void {
    const step = { command, seed, sequence: this.#journal.sequence, atMs: this.#machine.now() }
    if (BEGINNINGS.some((type) => type === command.type)) this.#session.restart(this.#options, step)
    else this.#session.addCommand(step)
  }

  /** `options` are the world's own, or those with what the command loads. */
  async #prepareChecked(
    command: CheckedCommand,
    options: WorldOptions,
  ): Promise<() => CommandResults[CommandType]> {
    const { clock, records } = this.#state
    switch (command.type) {
      case 'reset': {
        const start = await startState(options, records)
        return () => this.#begin(start())
      }
      case 'scenario.load': {
        const start = await startState(options)
        return () => this.#begin(start())
      }
      case 'snapshot.restore': {
        const state = await resumeState(options, command.snapshot)
        return () => this.#begin(state, command.snapshot)
      }
      case 'fixtures.load': {
        const swap = await swapFixtures(options, this.#state)
        return () => {
          this.#state = swap()
          this.#options = options
          return this.clock
        }
      }
      case 'record.put':
        return this.#publishing(await putRecord(records, command, clock.worldMs()))
      case 'record.patch':
        return this.#publishing(await patchRecord(records, command, clock.worldMs()))
      case 'record.delete':
        return this.#publishing(() => deleteRecord(records, command))
      default:
        return () => this.#carryOut(command)
    }
  }

  /** A change of records, which answers may only show after the next refresh. */
  #publishing<Result>(change: () => Result): () => Result {
    const { engine } = this.#state
    return () => {
      const restoreShown = engine.saveShown()
      engine.publish()
      try {
        return change()
      } catch (error) {
        restoreShown()
        throw error
      }
    }
  }

  #carryOut(command: InstantCommand): CommandResults[InstantCommand['type']] {
    const { clock, engine, faults } = this.#state
    switch (command.type) {
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
      case 'policy.set':
        this.#state = setPolicies(this.#options, this.#state, command.policies)
        return this.policies
      case 'fault.add':
        return faults.add(this.#resolveFault(command.fault, ['fault']))
      case 'fault.set':
        return faults.replace(
          command.faults.map((fault, index) => this.#resolveFault(fault, ['faults', index])),
        )
      case 'fault.remove':
        return faults.remove(command.id)
      case 'journal.clear':
        this.#journal.clear()
        return this.clock
    }
  }

  /** @throws CommandError for a token or a project that there is not. */
  #resolveFault(fault: Fault, path: Path): ArmedFault {
    const { records, clock } = this.#state
    const resolved = resolveFault(fault, { records: records.indexes, nowMs: clock.worldMs() })
    if ('value' in resolved) return resolved.value
    throw new CommandError('invalid_command', atPlace(path, resolved.problems))
  }

  #begin(state: WorldState, before?: Pick<Snapshot, 'commands' | 'sequence'>): ClockState {
    this.#state = state
    this.#journal.restart(before)
    // What a reset goes back to is part of a session.
    const { seed, tokenSuffix } = this.#options
    this.#secrets.restart(withOwnTokens(seed.records, tokenSuffix).tokens)
    return this.clock
  }
}

/** The commands after which nothing of what was before matters. */
const BEGINNINGS: readonly CommandType[] = ['reset', 'scenario.load', 'snapshot.restore']

/** A command as it is listed: of fixtures, which may be large and come with each change of a file, only their names. */
function withoutFixtures(command: unknown): unknown {
  if (typeof command !== 'object' || command === null || !('fixtures' in command)) return command
  const { files } = command.fixtures as { files?: { name?: unknown }[] }
  return { ...command, fixtures: files?.map((file) => file.name) ?? 'inline' }
}

/** A command that nothing has to be prepared for. */
type InstantCommand = Extract<
  CheckedCommand,
  { type: ClockCommand['type'] | 'policy.set' | `fault.${string}` | 'journal.clear' }
>

/** Has a command that is prepared happen, in one step; it is still to be taken down. */
type Change = () => Applied

/** A command that was applied, what it came to, and the clocks after it. */
interface Applied {
  type: CommandType
  command: object
  result: CommandResults[CommandType]
  clock: ClockState
  /** What it loaded; undefined for one that loads nothing. */
  seed: Seed | undefined
}

/**
 * What is sent, as it is now: a caller that changes it later changes nothing here.
 *
 * @throws CommandError
 */
function toPlain<Sent>(sent: Sent): Sent {
  try {
    return structuredClone(sent)
  } catch (error) {
    if (error instanceof RangeError) {
      throw invalidCommand({ path: [], message: 'It is nested too deeply. Flatten it.' })
    }
    if (!(error instanceof DOMException)) throw error
    return NOT_PLAIN as Sent
  }
}

/** Stands for what cannot be copied, and is refused by every schema. */
const NOT_PLAIN = 'something that is not plain data'

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
