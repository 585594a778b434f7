import { z } from 'zod'
import { describe } from '../../contract/describe.ts'
import { suggest } from '../../contract/suggestion.ts'
import { ClockState } from '../../journal/clock-state.ts'
import { withNamespacedTokens } from '../../records/namespaced-tokens.ts'
import { toClockState } from '../clock.ts'
import { invalidCommand } from '../command-error.ts'
import { LargeInput } from '../large-input.ts'
import { SnapshotInput } from '../read-snapshot.ts'
import { restoreState } from '../restore-state.ts'
import { withNamespacedSnapshot } from '../snapshot.ts'
import type { Snapshot } from '../snapshot.ts'
import { replaceState } from '../world-memory.ts'
import { startState } from '../world-state.ts'
import type { WorldState } from '../world-state.ts'
import { defineCommand } from './command.ts'
import type { LoadedSnapshot, WorldParts } from './command.ts'

/**
 * Restores the seed of the world, with which it was created or which `fixtures.load` has loaded since:
 *
 * - the records, their relative dates resolved by the clock again, and how far reports have progressed;
 * - the world clock, which starts from `now` of the options or the fixture, and whether it is frozen; the rate clock;
 * - the policies of the fixture and the options, and of the faults only the one of the `latency` option;
 * - rate windows: empty, except those that a token has as `spent`;
 * - the journal and the session, which start again.
 */
export const reset = defineCommand({
  type: 'reset',
  description:
    'Restores everything as created or last loaded: records, progress, both clocks, policies, faults, rate windows, journal',
  fields: {},
  result: ClockState,
  startsSession: true,
  prepare: async (parts) => {
    const start = await startState(parts.options, parts.state.records)
    return { apply: () => restartWorld(parts, start()) }
  },
})

export const scenarioLoad = defineCommand({
  type: 'scenario.load',
  description: 'Loads a scenario in place of the world, until a reset',
  fields: { scenario: z.string().describe('The name of a scenario') },
  result: ClockState,
  startsSession: true,
  load: async ({ scenarios }, { scenario }) => {
    const names = (await scenarios.list()).map(({ name }) => name)
    if (!names.includes(scenario)) {
      const message = `${describe(scenario)} is not a scenario. ${suggest(scenario, names)}`
      throw invalidCommand({ path: ['scenario'], message })
    }
    return { seed: await scenarios.load(scenario) }
  },
  prepare: async (parts, _, { seed }) => {
    const start = await startState({ ...parts.options, seed })
    return { apply: () => restartWorld(parts, start()) }
  },
})

export const snapshotRestore = defineCommand({
  type: 'snapshot.restore',
  description: 'Restores the world from a snapshot; it continues from there',
  fields: { snapshot: SnapshotInput },
  result: ClockState,
  startsSession: true,
  load: async (_, { snapshot }): Promise<LoadedSnapshot> => ({
    snapshot: snapshot instanceof LargeInput ? await snapshot.readSnapshot() : snapshot,
  }),
  loadedField: 'snapshot',
  prepare: async (parts, _, { snapshot }) => {
    const state = await restoreState(parts.options, snapshot)
    parts.options.requireRoom(state.records.memory.bytes - parts.state.records.memory.bytes)
    return { apply: () => restartWorld(parts, state, snapshot) }
  },
  // A restored world lists the commands of the snapshot instead.
  toListed: null,
  toRecorded: ({ type }, { snapshot }, options) => ({
    type,
    snapshot: withNamespacedSnapshot(snapshot, options),
  }),
})

/** Starts a world again from another state; its journal is empty, or continues that of the snapshot. */
function restartWorld(
  parts: WorldParts,
  state: WorldState,
  before?: Pick<Snapshot, 'commands' | 'sequence'>,
): ClockState {
  replaceState(parts, state)
  parts.journal.restart(before)
  // A session contains the seed that a reset returns to, with its bearer values.
  const { seed, tokenSuffix } = parts.options
  parts.secrets.restart(withNamespacedTokens(seed.records, tokenSuffix).tokens)
  return toClockState(state.clock)
}
