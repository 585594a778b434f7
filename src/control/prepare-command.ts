import type { Seed } from '../contract/fixture.ts'
import { toDateTime } from '../contract/moments.ts'
import type { Policies } from '../contract/policies.ts'
import type { AnyRecord } from '../contract/records.ts'
import { atPlace, validate } from '../contract/validation.ts'
import type { Path } from '../contract/validation.ts'
import type { Clock } from '../engine/clock.ts'
import type { ClockState } from './answers/clock-state.ts'
import type { PutResult } from './answers/command-result.ts'
import type { ListedFault } from './answers/listed-fault.ts'
import { CommandError } from './command-error.ts'
import { Command } from './commands.ts'
import type { CheckedCommand, ClockCommand, CommandType } from './commands.ts'
import { resolveFault } from './fault.ts'
import type { ArmedFault, Fault } from './fault.ts'
import type { Journal } from './journal.ts'
import { withOwnTokens } from './own-tokens.ts'
import { deleteRecord, patchRecord, putRecord } from './record-commands.ts'
import type { Secrets } from './secrets.ts'
import type { Snapshot } from './snapshots.ts'
import { resumeState, setPolicies, startState, swapFixtures, withScenario } from './world-state.ts'
import type { WorldOptions, WorldState } from './world-state.ts'

/** What commands change of a world. */
export interface WorldParts {
  options: WorldOptions
  state: WorldState
  readonly journal: Journal
  readonly secrets: Secrets
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
  'policy.set': Policies
  'fault.add': ListedFault
  'fault.set': ListedFault[]
  'fault.remove': ListedFault
  'journal.clear': ClockState
  'scenario.load': ClockState
  'fixtures.load': ClockState
  'snapshot.restore': ClockState
}

/** Has a command that is prepared happen, in one step; it is still to be taken down. */
export type Change = () => Applied

/** A command that was applied, what it came to, and the clocks after it. */
export interface Applied {
  type: CommandType
  command: object
  result: CommandResults[CommandType]
  clock: ClockState
  /** What it loaded; undefined for one that loads nothing. */
  seed: Seed | undefined
}

/** A command that nothing has to be prepared for. */
type InstantCommand = Extract<
  CheckedCommand,
  { type: ClockCommand['type'] | 'policy.set' | `fault.${string}` | 'journal.clear' }
>

/**
 * Does all of a command that takes time. What it comes to is not there before the change is called.
 *
 * @throws CommandError when the command is wrong, FixtureError for fixtures that are; the change throws a
 *   CommandError for what the world cannot be brought to, and has changed nothing then.
 */
export async function prepareCommand(parts: WorldParts, command: unknown): Promise<Change> {
  const checked = validate(Command, command)
  if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
  const { type } = checked.value
  const loaded = await load(parts.options, checked.value)
  const happen = await prepareChecked(parts, checked.value, loaded ?? parts.options)
  return () => {
    const result = happen()
    const clock = toClockState(parts.state.clock)
    return { type, command: command as object, result, clock, seed: loaded?.seed }
  }
}

/** The two clocks as they are shown. */
export function toClockState(clock: Clock): ClockState {
  return {
    now: toDateTime(clock.worldMs()),
    frozen: clock.isFrozen,
    rate_clock: toDateTime(clock.rateMs()),
  }
}

/** The options of a world with what a command loads in place of its seed; undefined for one that loads nothing. */
async function load(
  options: WorldOptions,
  command: CheckedCommand,
): Promise<WorldOptions | undefined> {
  if (command.type === 'scenario.load') return withScenario(command.scenario, options)
  if (command.type !== 'fixtures.load') return undefined
  return { ...options, seed: await options.readFixtures(command.fixtures) }
}

/** `options` are the world's own, or those with what the command loads. */
async function prepareChecked(
  parts: WorldParts,
  command: CheckedCommand,
  options: WorldOptions,
): Promise<() => CommandResults[CommandType]> {
  const { clock, records } = parts.state
  switch (command.type) {
    case 'reset': {
      const start = await startState(options, records)
      return () => begin(parts, start())
    }
    case 'scenario.load': {
      const start = await startState(options)
      return () => begin(parts, start())
    }
    case 'snapshot.restore': {
      const state = await resumeState(options, command.snapshot)
      return () => begin(parts, state, command.snapshot)
    }
    case 'fixtures.load': {
      const swap = await swapFixtures(options, parts.state)
      return () => {
        parts.state = swap()
        parts.options = options
        return toClockState(parts.state.clock)
      }
    }
    case 'record.put':
      return publishing(parts.state, await putRecord(records, command, clock.worldMs()))
    case 'record.patch':
      return publishing(parts.state, await patchRecord(records, command, clock.worldMs()))
    case 'record.delete':
      return publishing(parts.state, () => deleteRecord(records, command))
    default:
      return () => carryOut(parts, command)
  }
}

function begin(
  parts: WorldParts,
  state: WorldState,
  before?: Pick<Snapshot, 'commands' | 'sequence'>,
): ClockState {
  parts.state = state
  parts.journal.restart(before)
  // What a reset goes back to is part of a session.
  const { seed, tokenSuffix } = parts.options
  parts.secrets.restart(withOwnTokens(seed.records, tokenSuffix).tokens)
  return toClockState(state.clock)
}

/** A change of records, which answers may only show after the next refresh. */
function publishing<Result>({ engine }: WorldState, change: () => Result): () => Result {
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

function carryOut(
  parts: WorldParts,
  command: InstantCommand,
): CommandResults[InstantCommand['type']] {
  const { clock, engine, faults } = parts.state
  switch (command.type) {
    case 'clock.set':
      engine.refresh()
      clock.set(command.now)
      return toClockState(clock)
    case 'clock.advance':
      advance(clock, command)
      return toClockState(clock)
    case 'clock.freeze':
      clock.freeze(command.frozen)
      return toClockState(clock)
    case 'policy.set':
      parts.state = setPolicies(parts.options, parts.state, command.policies)
      return parts.state.policies
    case 'fault.add':
      return faults.add(armed(parts.state, command.fault, ['fault']))
    case 'fault.set':
      return faults.replace(
        command.faults.map((fault, index) => armed(parts.state, fault, ['faults', index])),
      )
    case 'fault.remove':
      return faults.remove(command.id)
    case 'journal.clear':
      parts.journal.clear()
      return toClockState(clock)
  }
}

function advance(clock: Clock, { by }: Extract<CheckedCommand, { type: 'clock.advance' }>): void {
  if (clock.canAdvance(by)) {
    clock.advance(by)
    return
  }
  const message = 'A clock cannot pass the year 9999. Advance it by less.'
  throw new CommandError('invalid_command', [{ path: [], message }])
}

/** @throws CommandError for a token or a project that there is not. */
function armed({ records, clock }: WorldState, fault: Fault, path: Path): ArmedFault {
  const resolved = resolveFault(fault, { records: records.indexes, nowMs: clock.worldMs() })
  if ('value' in resolved) return resolved.value
  throw new CommandError('invalid_command', atPlace(path, resolved.problems))
}
