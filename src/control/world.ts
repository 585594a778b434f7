import { toDateTime } from '../contract/moments.ts'
import type { Policies } from '../contract/policies.ts'
import type { AnyRecord, RecordOf, RecordReader } from '../contract/records.ts'
import { validate } from '../contract/validation.ts'
import type { Path } from '../contract/validation.ts'
import type { Clock } from '../engine/clock.ts'
import type { Visit } from '../engine/engine.ts'
import type { Explanation } from '../engine/explanation.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { applyFaults } from './apply-faults.ts'
import { CommandError, invalidCommand, recordNotFound } from './command-error.ts'
import { Command } from './commands.ts'
import type { CheckedCommand, ClockCommand, CommandType } from './commands.ts'
import { resolveFault } from './fault.ts'
import type { ArmedFault, Fault } from './fault.ts'
import type { ListedFault } from './faults.ts'
import { HeldClock } from './held-clock.ts'
import { Journal, projectOf } from './journal.ts'
import type { AppliedCommand, ClockState } from './journal.ts'
import { deleteRecord, patchRecord, putRecord } from './record-commands.ts'
import type { PutResult } from './record-commands.ts'
import { redactData } from './redaction.ts'
import type { Secret } from './redaction.ts'
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
  readonly #timer: () => number
  readonly #journal: Journal
  /** Bearer values that the world has, or ever had: what the journal must not show. */
  readonly #secrets = new Map<string, Secret>()
  #options: WorldOptions
  #state: WorldState
  #queue: Promise<unknown> = Promise.resolve()
  readonly #watchers = new Set<(change: WorldChange) => void>()

  private constructor(options: WorldOptions, parts: { machine: HeldClock; state: WorldState }) {
    this.#options = options
    this.#machine = parts.machine
    this.#state = parts.state
    this.#timer = options.timer
    const secrets = () => [...this.#secrets.values()]
    this.#journal = new Journal({ maximumRequests: options.journalSize, secrets })
    this.#keepSecrets()
  }

  static async create(options: WorldOptions): Promise<World> {
    const machine = new HeldClock(options.realNow)
    const held = { ...options, realNow: machine.now }
    return new World(held, { machine, state: await startState(held) })
  }

  answer(request: ApiRequest): ApiResponse {
    const startedMs = this.#timer()
    const response = this.#machine.hold(() => {
      const { clock, engine } = this.#state
      const [worldMs, rateMs] = [clock.worldMs(), clock.rateMs()]
      const visit = engine.identify(request)
      const answered = this.#answerVisit(request, visit)
      const durationMs = this.#timer() - startedMs
      this.#journal.addRequest({ request, visit, response: answered, worldMs, rateMs, durationMs })
      return answered
    })
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
      const restore = this.#state.clock.save()
      const applied: Applied[] = []
      try {
        for (const command of commands) applied.push(await this.#apply(command))
      } catch (error) {
        restore()
        throw error
      }
      for (const one of applied) this.#takeDown(one)
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
      const realMs = this.#options.realNow()
      return writeSnapshot({ world: this.#state, journal: this.#journal, realMs })
    })
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
      project: (route && projectOf(route)) ?? undefined,
      token: token?.id,
    })
    return applyFaults(fired, {
      operation: route?.operation,
      rateMs: clock.rateMs(),
      answer,
      reject: (problem) => engine.reject(request, visit, problem),
    })
  }

  #tell(change: WorldChange): void {
    for (const watcher of this.#watchers) watcher(change)
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#queue.then(() => this.#machine.holdDuring(work))
    this.#queue = run.catch(() => undefined)
    return run
  }

  async #run(command: unknown): Promise<CommandResults[CommandType]> {
    const applied = await this.#apply(command)
    this.#takeDown(applied)
    return applied.result
  }

  /** Applies a command that is still to be taken down. */
  async #apply(command: unknown): Promise<Applied> {
    const checked = validate(Command, command)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const result = await this.#carryOut(checked.value)
    return { type: checked.value.type, command, result, clock: this.clock }
  }

  #takeDown({ type, command, clock }: Applied): void {
    this.#keepSecrets()
    // A restored world has the commands of the snapshot, which is what led to it.
    if (type !== 'snapshot.restore') {
      const secrets = [...this.#secrets.values()]
      this.#journal.addCommand(redactData(withoutFixtures(command), secrets), clock)
    }
    this.#tell('command')
  }

  async #carryOut(command: CheckedCommand): Promise<CommandResults[CommandType]> {
    const { clock, records, engine, faults } = this.#state
    switch (command.type) {
      case 'reset':
        this.#begin(await startState(this.#options, records))
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
      case 'scenario.load':
        this.#begin(await startState(await withScenario(command.scenario, this.#options)))
        return this.clock
      case 'fixtures.load': {
        const seed = await this.#options.readFixtures(command.fixtures)
        const options = { ...this.#options, seed }
        this.#state = await swapFixtures(options, this.#state)
        this.#options = options
        return this.clock
      }
      case 'snapshot.restore':
        this.#begin(await resumeState(this.#options, command.snapshot), command.snapshot)
        return this.clock
    }
  }

  /** @throws CommandError for a token or a project that there is not. */
  #resolveFault(fault: Fault, path: Path): ArmedFault {
    const { records, clock } = this.#state
    const resolved = resolveFault(fault, { records: records.indexes, nowMs: clock.worldMs() })
    if ('value' in resolved) return resolved.value
    throw invalidCommand(
      ...resolved.problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] })),
    )
  }

  #begin(state: WorldState, before?: Pick<Snapshot, 'commands' | 'sequence'>): void {
    this.#state = state
    this.#journal.restart(before)
  }

  #keepSecrets(): void {
    for (const { id, token } of this.records.all('tokens')) {
      if (!this.#secrets.has(token)) {
        this.#secrets.set(token, { value: token, placeholder: `[token ${id}]` })
      }
    }
  }
}

/** A command as it is listed: of fixtures, which may be large and come with each change of a file, only their names. */
function withoutFixtures(command: unknown): unknown {
  if (typeof command !== 'object' || command === null || !('fixtures' in command)) return command
  const { files } = command.fixtures as { files?: { name?: unknown }[] }
  return { ...command, fixtures: files?.map((file) => file.name) ?? 'inline' }
}

/** A command that was applied, what it came to, and the clocks after it. */
interface Applied {
  type: CommandType
  command: unknown
  result: CommandResults[CommandType]
  clock: ClockState
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
