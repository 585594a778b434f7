import { ClockState } from '../../journal/applied-command.ts'
import { withNamespacedTokens } from '../../records/bearer-tokens.ts'
import { toClockState } from '../clocks.ts'
import type { Snapshot } from '../snapshot.ts'
import { startState } from '../world-state.ts'
import type { WorldState } from '../world-state.ts'
import { defineCommand } from './command.ts'
import type { WorldParts } from './command.ts'

/**
 * Restores the world to its seed, or to the fixtures that `fixtures.load` loaded last:
 *
 * - the records, with relative dates resolved again, and the progress of reports;
 * - the rate clock, which is the machine's again, and the world clock, whose start and frozen state are those of the options
 *   or the fixture;
 * - the policies of the fixture and the options;
 * - the faults: only the delay of the `latency` option;
 * - the rate windows: empty, except the window in the `spent` field of a token, which is exhausted;
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

/** Restarts a world from another state. The journal starts empty or, after a restore, as in the snapshot. */
export function restartWorld(
  parts: WorldParts,
  state: WorldState,
  before?: Pick<Snapshot, 'commands' | 'sequence'>,
): ClockState {
  const { seed, tokenSuffix } = parts.options
  // These bearer values stay secret, because a session contains the seed that a reset returns to.
  const { tokens } = withNamespacedTokens(seed.records, tokenSuffix)
  parts.state = state
  parts.journal.restart(before)
  parts.secrets.restart(tokens)
  return toClockState(state.clock)
}
