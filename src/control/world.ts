import type { Seed } from '../contract/fixture.ts'
import type { Policies } from '../contract/policies.ts'
import type { RecordOf, RecordReader } from '../contract/records.ts'
import type { Visit } from '../engine/engine.ts'
import type { Explanation } from '../engine/explanation.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { AppliedCommand } from './answers/applied-command.ts'
import type { ClockState } from './answers/clock-state.ts'
import type { PutResult } from './answers/command-result.ts'
import type { ListedFault } from './answers/listed-fault.ts'
import { applyFaults } from './apply-faults.ts'
import { invalidCommand, recordNotFound } from './command-error.ts'
import type { ClockCommand, Command, CommandType } from './commands.ts'
import { withGapsHeader } from './gap-list.ts'
import { tellEach } from './followers.ts'
import { HeldClock } from './held-clock.ts'
import { Journal } from './journal.ts'
import { prepareCommand, toClockState } from './prepare-command.ts'
import type { Applied, Change, CommandResults, WorldParts } from './prepare-command.ts'
import { redactData } from './redaction.ts'
import { Secrets } from './secrets.ts'
import { SessionRecorder } from './session-recorder.ts'
import type { RecordedCommand } from './session-recorder.ts'
import type { Session } from './session.ts'
import { writeSnapshot } from './snapshots.ts'
import type { Snapshot } from './snapshots.ts'
import { startState } from './world-state.ts'
import type { ScenarioLibrary, WorldOptions, WorldState } from './world-state.ts'

/** What can change a world: a command that was applied, or a request that was answered. */
export type WorldChange = 'command' | 'request'

/** Everything one integrator sees, changed by commands alone, one after the other. */
export class World {
  readonly #machine: HeldClock
  readonly #session: SessionRecorder
  readonly #parts: WorldParts
  #queue: Promise<unknown> = Promise.resolve()
  readonly #watchers = new Set<(change: WorldChange) => void>()

  private constructor(
    options: WorldOptions,
    made: { machine: HeldClock; madeAtMs: number; state: WorldState },
  ) {
    this.#machine = made.machine
    this.#session = new SessionRecorder(options, made.madeAtMs)
    const secrets = new Secrets(options)
    const { id, journalSize } = options
    const journal = new Journal({
      world: id,
      maximumRequests: journalSize,
      secrets: () => secrets.list(),
    })
    this.#parts = { options, state: made.state, journal, secrets }
    secrets.keep(this.records.all('tokens'))
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
    const { options, journal } = this.#parts
    const { timer, showGaps } = options
    const startedMs = timer()
    const response = this.#machine.hold((atMs) => {
      const { clock, engine } = this.#parts.state
      const [worldMs, rateMs] = [clock.worldMs(), clock.rateMs()]
      const visit = engine.identify(request)
      const given = this.#answerVisit(request, visit)
      const answered = showGaps ? withGapsHeader(given) : given
      const recorded = journal.addRequest(
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
    return this.#parts.options.seed
  }

  get records(): RecordReader {
    return this.#parts.state.records.indexes
  }

  get scenarios(): ScenarioLibrary['list'] {
    return this.#parts.options.scenarios.list
  }

  get clock(): ClockState {
    return toClockState(this.#parts.state.clock)
  }

  /** What was asked and told since the world began or was reset. */
  get journal(): Journal {
    return this.#parts.journal
  }

  /** The latest commands since the world began or was reset. */
  get applied(): readonly AppliedCommand[] {
    return this.#parts.journal.commands
  }

  /** The faults that are armed, and what has become of each. */
  get faults(): ListedFault[] {
    return this.#parts.state.faults.list()
  }

  /** The policies in force. */
  get policies(): Policies {
    return this.#parts.state.policies
  }

  /** Why a project has the latest and the last generated report that it has; undefined where there is no such project. */
  explain(project: number): Explanation | undefined {
    return this.#machine.hold(() => this.#parts.state.engine.explain(project))
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
      const { clock, engine } = this.#parts.state
      const restoreAll = [clock.save(), engine.saveShown()]
      const changes: Change[] = []
      for (const command of commands) changes.push(await prepareCommand(this.#parts, command))
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
      const { options, state, journal } = this.#parts
      return writeSnapshot({ world: state, journal, realMs: options.realNow() })
    })
  }

  /**
   * All that was asked and told since the world was made or last made anew, to be played again.
   *
   * @throws CommandError where that is too much to be kept.
   */
  session(): Promise<Session> {
    return this.#enqueue(async () => this.#session.write(this.#parts.secrets))
  }

  /** Calls back after every change, until what this returns is called. */
  watch(watcher: (change: WorldChange) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #answerVisit(request: ApiRequest, visit: Visit): ApiResponse {
    const { clock, engine, faults } = this.#parts.state
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
    const change = await prepareCommand(this.#parts, command)
    const applied = change()
    this.#takeDown(applied)
    return applied.result
  }

  #takeDown({ type, command, clock, seed }: Applied): void {
    const { journal, secrets } = this.#parts
    secrets.keep(this.records.all('tokens'))
    // A restored world has the commands of the snapshot, which is what led to it.
    if (type !== 'snapshot.restore') {
      journal.addCommand(redactData(withoutFixtures(command), secrets.list()), clock)
    }
    this.#recordStep({ command: { ...command, type }, seed })
    this.#tell('command')
  }

  #recordStep({ command, seed }: Pick<RecordedCommand, 'command' | 'seed'>): void {
    const { journal, options } = this.#parts
    const step = { command, seed, sequence: journal.sequence, atMs: this.#machine.now() }
    if (BEGINNINGS.some((type) => type === command.type)) this.#session.restart(options, step)
    else this.#session.addCommand(step)
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
