import type { Seed } from '../fixtures/seed.ts'
import type { Change } from '../world/change.ts'
import { fileNamesOf } from '../world/commands/fixtures-load.ts'
import { parseCommand } from '../world/commands/prepare-command.ts'
import { LargeInput } from '../world/large-input.ts'
import type { Creation, StartOptions } from './creation.ts'
import { ReadFixtures } from './log-entry.ts'
import type { LoggedChange } from './log-entry.ts'
import type { StoredInputs } from './stored-inputs.ts'
import { requireLengthWithin, requireSeedWithin } from './world-limits.ts'
import type { WorldLimits } from './world-limits.ts'

interface EntryContext {
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
  if (!('command' in change) || 'report' in change) return { change }
  const command = parseCommand(change.command)
  const { inputs, creation } = context
  switch (command.type) {
    case 'fixtures.load': {
      const { fixtures } = command
      const { stated } = creation
      const seed = await context.start.readSeed({ fixtures, ...(stated.generate && stated) })
      if (context.limits) requireSeedWithin(context.limits, seed)
      return loading({ type: command.type }, seed, { ...context, files: fileNamesOf(fixtures) })
    }
    case 'scenario.load': {
      const { scenarios } = context.start
      const isListed = (await scenarios.list()).some(({ name }) => name === command.scenario)
      // The world says what is wrong.
      if (!isListed) return { change }
      return loading(command, await scenarios.load(command.scenario), context)
    }
    case 'snapshot.restore': {
      const { snapshot } = command
      const plain = snapshot instanceof LargeInput ? await snapshot.readSnapshot() : snapshot
      const text = JSON.stringify(plain)
      if (context.limits) requireLengthWithin(context.limits, text)
      const restores = await inputs.put(text, creation.id)
      return { change: { command: { type: command.type } }, restores }
    }
    default:
      return { change }
  }
}

/** The change as the world takes it. @throws StoreError */
export async function fromEntry(
  { change, loads, restores }: LoggedChange,
  inputs: StoredInputs,
): Promise<{ change: Change; scenario?: { name: string; seed: Seed } }> {
  if (!('command' in change) || 'report' in change) return { change }
  const command = change.command as { type: string; scenario?: string }
  if (restores !== undefined) {
    const snapshot: unknown = JSON.parse(await inputs.text(restores))
    return { change: { command: { ...command, snapshot } } }
  }
  if (!loads) return { change }
  const seed = await inputs.seed(loads.seed)
  const { scenario } = command
  if (scenario !== undefined) return { change, scenario: { name: scenario, seed } }
  return { change: { command: { ...command, fixtures: new ReadFixtures(seed, loads.files) } } }
}

async function loading(
  command: object,
  seed: Seed,
  { inputs, creation, files }: EntryContext & { files?: readonly string[] | undefined },
): Promise<LoggedChange> {
  const key = await inputs.putSeed(seed, creation.id)
  return { change: { command }, loads: { seed: key, ...(files && { files }) } }
}
