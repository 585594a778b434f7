import { bytesOf } from '../contract/plain-size.ts'
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
import { requireShort, requireShortTexts, requireWithin } from './world-limits.ts'
import type { WorldLimits } from './world-limits.ts'

/** The journal and the session keep a command each. */
const KEPT_COMMANDS = 2

interface EntryContext {
  world: World
  creation: Creation
  inputs: StoredInputs
  start: StartOptions
  limits: WorldLimits | undefined
  /** How many bytes the world may take in the memory of a server. */
  mostBytes: number
}

/**
 * A change as an entry of the log of a world: checked as far as that needs no state, and with what it loads read and
 * stored, so that replicas need not do so again.
 *
 * @throws CommandError, FixtureError, OptionError, StoreError
 */
export async function toEntry(change: Change, context: EntryContext): Promise<LoggedChange> {
  if ('move_clock' in change) for (const command of change.move_clock) parseCommand(command)
  if ('report' in change) requireShortTexts(change.command)
  if ('move_clock' in change || 'report' in change) return { change }
  const { world, limits, mostBytes, inputs, creation } = context
  const command = 'command' in change ? parseCommand(change.command) : toPut(change)
  const definition = definitionOf(command)
  const loaded = await definition.load?.(sourceOf(context), command as never)
  const { [definition.loadedField ?? '']: _, ...rest } = command as Record<string, unknown>
  requireShortTexts({ ...rest, ...toShown(loaded) })
  const added = world.additionsBy(definition, command, loaded)
  if (added) {
    const bytes = (added.bytes ?? 0) + KEPT_COMMANDS * bytesOf(rest)
    requireWithin({ limits, mostBytes }, { ...added, bytes }, world)
  }
  if (!loaded) return { change }
  const text = JSON.stringify('seed' in loaded ? loaded.seed : loaded.snapshot)
  if (limits) requireShort(limits, text)
  const logged = { change: { command: rest } }
  const key = await inputs.put(text, creation.id)
  if ('snapshot' in loaded) return { ...logged, restores: key }
  return { ...logged, loads: { seed: key, ...(loaded.files && { files: loaded.files }) } }
}

/** What a command has loaded, by the names that its sender knows. */
function toShown(loaded: Loaded | undefined): object | undefined {
  return loaded && 'seed' in loaded ? { fixtures: loaded.seed.records } : loaded
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
