import type { ClockState } from '../../journal/clock-state.ts'
import { withNamespacedTokens } from '../../records/bearer-tokens.ts'
import { toClockState } from '../clock.ts'
import type { Snapshot } from '../snapshot.ts'
import type { WorldState } from '../world-state.ts'
import type { WorldParts } from './command.ts'

/** Starts a world again from another state; its journal is empty, or continues that of the snapshot. */
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
