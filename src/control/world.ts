import { resolvePolicies } from '../contract/policies.ts'
import type { Seed } from '../contract/fixture.ts'
import { toDateTime } from '../contract/moments.ts'
import type { AnyRecord, RecordOf, RecordReader } from '../contract/records.ts'
import type { RateLimits } from '../contract/token.ts'
import { validate } from '../contract/validation.ts'
import { Clock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { Records } from '../world/records.ts'
import { CommandError, recordNotFound } from './command-error.ts'
import { Command } from './commands.ts'
import type { CheckedCommand, ClockCommand, CommandType } from './commands.ts'
import { deleteRecord, patchRecord, putRecord } from './record-commands.ts'
import type { PutResult } from './record-commands.ts'

/** How a world starts, and starts again after a reset. */
export interface WorldOptions {
  seed: Seed
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

const MAXIMUM_APPLIED = 10_000

/** Everything one integrator sees, changed by commands alone, one after the other. */
export class World {
  readonly #options: WorldOptions
  #state: State
  #queue: Promise<unknown> = Promise.resolve()

  private constructor(options: WorldOptions, state: State) {
    this.#options = options
    this.#state = state
  }

  static async create(options: WorldOptions): Promise<World> {
    return new World(options, await start(options))
  }

  answer(request: ApiRequest): ApiResponse {
    return this.#state.engine.answer(request)
  }

  get records(): RecordReader {
    return this.#state.records.indexes
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

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#queue.then(work)
    this.#queue = run.catch(() => undefined)
    return run
  }

  async #run(command: unknown): Promise<CommandResults[CommandType]> {
    const checked = validate(Command, command)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const result = await this.#apply(checked.value)
    const { applied } = this.#state
    const sequence = (applied.at(-1)?.sequence ?? 0) + 1
    applied.push({ sequence, command, clock: this.clock })
    if (applied.length > MAXIMUM_APPLIED) applied.shift()
    return result
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
    }
  }
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

/** A world as it begins; over records that it had already, where it begins again. */
async function start(
  { seed, now = seed.now, ...options }: WorldOptions,
  records = new Records(),
): Promise<State> {
  const clock = new Clock(options.realNow)
  if (options.frozen ?? seed.frozen ?? false) clock.freeze(true)
  const startMs = now === undefined ? clock.worldMs() : clock.set(now)
  await records.load(seed.records, startMs)
  const engine = new Engine({
    records: records.indexes,
    clock,
    policies: resolvePolicies(seed.policies, options.policies),
    rateLimits: options.rateLimits,
  })
  return { clock, records, engine, applied: [] }
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
