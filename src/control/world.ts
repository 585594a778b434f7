import { resolvePolicies } from '../contract/policies.ts'
import type { Seed } from '../contract/fixture.ts'
import { toDateTime } from '../contract/moments.ts'
import type { AnyRecord, RecordReader } from '../contract/records.ts'
import type { RateLimits } from '../contract/token.ts'
import { validate } from '../contract/validation.ts'
import { Clock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import { Records } from '../world/records.ts'
import { CommandError } from './command-error.ts'
import { Command } from './commands.ts'
import type { CheckedCommand, CommandType } from './commands.ts'
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
    const run = this.#queue.then(() => this.#run(command))
    this.#queue = run.catch(() => undefined)
    return run as Promise<CommandResults[Type]>
  }

  async #run(input: unknown): Promise<CommandResults[CommandType]> {
    const checked = validate(Command, input)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const command = structuredClone(input)
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
        this.#state = await start(this.#options)
        return this.clock
      case 'clock.set':
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

async function start({ seed, now = seed.now, ...options }: WorldOptions): Promise<State> {
  const clock = new Clock(options.realNow)
  if (options.frozen ?? seed.frozen ?? false) clock.freeze(true)
  const startMs = now === undefined ? clock.worldMs() : clock.set(now)
  const records = await Records.load(seed.records, startMs)
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
  const message = 'The world clock cannot pass the year 9999. Advance it by less.'
  throw new CommandError('invalid_command', [{ path: ['by'], message }])
}

function toClockState(clock: Clock): ClockState {
  return {
    now: toDateTime(clock.worldMs()),
    frozen: clock.isFrozen,
    rate_clock: toDateTime(clock.rateMs()),
  }
}
