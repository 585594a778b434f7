import { validate } from '../../contract/validate.ts'
import type { ClockState } from '../../journal/applied-command.ts'
import { toClockState } from '../clocks.ts'
import { acceptedOf } from '../command-error.ts'
import type { CommandDefinition, Loaded, PreparedCommand, WorldParts } from './command.ts'
import { Command, definitionOf } from './index.ts'
import type { ClockCommand, CommandResults, CommandType } from './index.ts'

/** An applied command: its form as sent, the data it loaded, its result, and the clocks after it. */
export interface AppliedChange {
  definition: CommandDefinition
  command: Record<string, unknown>
  result: CommandResults[CommandType]
  clock: ClockState
  loaded: Loaded | undefined
  /** Form of the command in the journal; null to leave it out. */
  listed: unknown
}

interface PreparedChange {
  definition: CommandDefinition
  /** Applies the command in one step. @throws CommandError if the change is not possible; nothing has changed then. */
  apply: () => AppliedChange
}

/** @throws CommandError for anything but a valid command. */
export function parseCommand(command: unknown): Command {
  return acceptedOf(validate(Command, command)) as Command
}

/**
 * Validates a command, and does its asynchronous work. If `loadedBefore` has the data that the command loads, skips the validation
 * and the load.
 *
 * @throws CommandError for an invalid command, FixtureError for invalid fixtures.
 */
export async function prepareCommand(
  parts: WorldParts,
  command: unknown,
  loadedBefore?: Loaded,
): Promise<PreparedChange> {
  const checked = loadedBefore ? (command as Command) : parseCommand(command)
  const definition = definitionOf(checked)
  const loaded = loadedBefore ?? (await definition.load?.(parts.options, checked as never))
  const prepared = (await definition.prepare(
    parts,
    checked as never,
    loaded as never,
  )) as PreparedCommand<CommandResults[CommandType]>
  parts.secrets.keep(prepared.tokens ?? [])
  const sent = command as Record<string, unknown>
  const { toListed = (raw) => raw } = definition
  // Computed before the command is applied, so that an error changes nothing.
  const listed = toListed && parts.secrets.redactor.inData(toListed(sent, loaded as never)).data
  const apply = () => ({
    definition,
    command: sent,
    result: prepared.apply(),
    clock: toClockState(parts.state.clock),
    loaded,
    listed,
  })
  return { definition, apply }
}

/**
 * Applies several clock commands together, all or none, then passes each to `note`.
 *
 * @throws CommandError for an invalid command, and for one that takes a clock past the year 9999.
 */
export async function applyTogether(
  parts: WorldParts,
  commands: readonly ClockCommand[],
  note: (applied: AppliedChange) => void,
): Promise<void> {
  const { clock, engine } = parts.state
  const { position } = clock
  const restoreView = engine.staleView.savepoint()
  const changes: PreparedChange[] = []
  for (const command of commands) changes.push(await prepareCommand(parts, command))
  try {
    const applied = changes.map(({ apply }) => apply())
    for (const one of applied) note(one)
  } catch (error) {
    clock.resume(position)
    restoreView()
    throw error
  }
}
