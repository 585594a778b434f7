import { findReport, toCommand, toPut } from '../world/change.ts'
import type { Change } from '../world/change.ts'
import type { Loaded, LoadSource } from '../world/commands/command.ts'
import { definitionOf, startsSession } from '../world/commands/index.ts'
import type { Command } from '../world/commands/index.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import type { Creation, StartOptions } from './creation.ts'
import type { LoggedChange } from './log-entry.ts'
import { digestOf } from './world-key.ts'
import type { StoredInputs } from './stored-inputs.ts'
import { requireWithin } from './world-limits.ts'
import type { SharedLimits } from './world-limits.ts'

interface EntryContext {
  world: World
  creation: Creation
  start: StartOptions
  limits: SharedLimits | undefined
}

/** An entry, and the text that is stored for it. */
export interface PreparedEntry {
  entry: LoggedChange
  text?: string
}

/**
 * A change as an entry of the log of a world: checked as far as that is possible without state, and with what it loads
 * already read, so that replicas need not do that again.
 *
 * @throws CommandError, FixtureError, OptionError
 */
export async function toEntry(change: Change, context: EntryContext): Promise<PreparedEntry> {
  if ('move_clock' in change) {
    for (const command of change.move_clock) parseCommand(command)
    return { entry: { change } }
  }
  if ('report' in change) {
    const { records } = context.world
    // Another server may have created a report that is not known here yet.
    if (findReport(change.report, records))
      await requireRoom(context, parseCommand(toCommand(change, records)))
    return { entry: { change } }
  }
  const command = 'command' in change ? parseCommand(change.command) : toPut(change)
  const definition = definitionOf(command)
  const loaded = await definition.load?.(sourceOf(context), command as never)
  const { [definition.loadedField ?? '']: _, ...rest } = command as Record<string, unknown>
  await requireRoom(context, command, loaded)
  if (!loaded) return { entry: { change } }
  const text = JSON.stringify('seed' in loaded ? loaded.seed : loaded.snapshot)
  const logged = { change: { command: rest } }
  const key = digestOf(text)
  if ('snapshot' in loaded) return { entry: { ...logged, restores: key }, text }
  const loads = { seed: key, ...(loaded.files && { files: loaded.files }) }
  return { entry: { ...logged, loads }, text }
}

/** @throws CommandError where the world would have more than its host allows */
async function requireRoom(
  { world, limits }: EntryContext,
  command: Command,
  loaded?: Loaded,
): Promise<void> {
  const added = limits && (await world.additionsBy(definitionOf(command), command, loaded))
  if (added) requireWithin(limits, added, world.size)
}

/** Uses the options that were stated when the world was created to generate fixtures. */
function sourceOf({ start, creation: { stated } }: EntryContext): LoadSource {
  return {
    scenarios: start.scenarios,
    readFixtures: (fixtures) => start.readSeed({ fixtures, ...(stated.generate && stated) }),
  }
}

/** What the command of a change has loaded; undefined for one that loads nothing. @throws StoreError */
export async function loadedBy(
  { loads, restores }: LoggedChange,
  inputs: StoredInputs,
): Promise<Loaded | undefined> {
  if (loads) return { ...loads, seed: await inputs.seed(loads.seed) }
  if (restores === undefined) return undefined
  return { snapshot: JSON.parse(await inputs.text(restores)) as Snapshot }
}

/** The digest of the text that an entry loads. */
export function textOf({ loads, restores }: LoggedChange): string | undefined {
  return loads?.seed ?? restores
}

/** Whether a change only removes, so that it is accepted even where a world has no room. */
export function freesRoom(change: Change): boolean {
  const command = commandIn(change)
  return command !== undefined && definitionOf(command).frees?.(command as never) === true
}

/** True for a change that discards the state before it, and everything that had been loaded. */
export function discardsState(change: Change): boolean {
  const command = commandIn(change)
  return command !== undefined && startsSession(command)
}

function commandIn(change: Change): Command | undefined {
  return 'command' in change && !('report' in change) ? (change.command as Command) : undefined
}
