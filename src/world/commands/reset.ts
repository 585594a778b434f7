import { ClockState } from '../../journal/applied-command.ts'
import { withNamespacedTokens } from '../../records/bearer-tokens.ts'
import { toClockState } from '../clocks.ts'
import type { Snapshot } from '../snapshot.ts'
import { startState } from '../world-state.ts'
import type { WorldState } from '../world-state.ts'
import { defineCommand } from './command.ts'
import type { WorldParts } from './command.ts'

/**
 * Restores the seed of the world, with which it was created or which `fixtures.load` has loaded since:
 *
 * - the records, their relative dates resolved by the clock again, and the progress of reports;
 * - the world clock, which starts from `now` of the options or the fixture, and its frozen state; the rate clock;
 * - the policies of the fixture and the options, and of the faults only the one of the `latency` option;
 * - rate windows: empty, except those that a token has as `spent`;
 * - the journal and the session, which start again.
 */
export const reset = defineCommand({
  type: 'reset',
  description:
    'Restores everything to its state when created or last loaded: records, progress, both clocks, policies, faults, rate windows, journal',
  fields: {},
  result: ClockState,
  isCostly: true,
  startsSession: true,
  frees: () => true,
  prepare: async (parts) => {
    const start = await startState(parts.options, parts.state.records)
    return { apply: () => restartWorld(parts, start()) }
  },
})

/** Restarts a world from another state; the journal is empty, or continues that of the snapshot. */
export function restartWorld(
  parts: WorldParts,
  state: WorldState,
  before?: Pick<Snapshot, 'commands' | 'sequence'>,
): ClockState {
  const { seed, tokenSuffix } = parts.options
  // A session contains the seed that a reset returns to, with its bearer values.
  const { tokens } = withNamespacedTokens(seed.records, tokenSuffix)
  parts.state = state
  parts.journal.restart(before)
  parts.secrets.restart(tokens)
  return toClockState(state.clock)
}
