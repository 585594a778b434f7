import { toPut } from '../world/change.ts'
import type { Change } from '../world/change.ts'
import type { Loaded, LoadSource } from '../world/commands/command.ts'
import { definitionOf } from '../world/commands/index.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import type { Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import type { Creation, StartOptions } from './creation.ts'
import type { LoggedChange } from './log-entry.ts'
import type { StoredInputs } from './stored-inputs.ts'
import { requireShort, requireWithin } from './world-limits.ts'
import type { WorldLimits } from './world-limits.ts'

interface EntryContext {
  world: World
  creation: Creation
  inputs: StoredInputs
  start: StartOptions
  limits: WorldLimits | undefined
}

/**
 * A change as an entry of the log of a world: checked as far as that needs no state, and with what it loads read and
 * stored, so that replicas need not do so again.
 *
 * @throws CommandError, FixtureError, OptionError, StoreError
 */
export async function toEntry(change: Change, context: EntryContext): Promise<LoggedChange> {
  if ('move_clock' in change) for (const command of change.move_clock) parseCommand(command)
  if ('move_clock' in change || 'report' in change) return { change }
  const { world, limits, inputs, creation } = context
  const command = 'command' in change ? parseCommand(change.command) : toPut(change)
  const definition = definitionOf(command)
  const loaded = await definition.load?.(sourceOf(context), command as never)
  if (limits) requireWithin(limits, world.additionsBy(definition, command, loaded) ?? {}, world)
  if (!loaded) return { change }
  const text = JSON.stringify('seed' in loaded ? loaded.seed : loaded.snapshot)
  if (limits) requireShort(limits, text)
  const { loadedField } = definition
  const { [loadedField ?? '']: _, ...rest } = command as Record<string, unknown>
  const logged = { change: { command: rest } }
  const key = await inputs.put(text, creation.id)
  if ('snapshot' in loaded) return { ...logged, restores: key }
  return { ...logged, loads: { seed: key, ...(loaded.files && { files: loaded.files }) } }
}

/** Fixtures are generated with what was stated when the world was created. */
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
