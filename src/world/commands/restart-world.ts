import type { ClockState } from '../../journal/clock-state.ts'
import { withNamespacedTokens } from '../../records/namespaced-tokens.ts'
import { toClockState } from '../clock.ts'
import type { Snapshot } from '../snapshot.ts'
import { replaceState } from '../world-memory.ts'
import type { WorldState } from '../world-state.ts'
import type { WorldParts } from './command.ts'

/** Starts a world again from another state; its journal is empty, or continues that of the snapshot. */
export function restartWorld(
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
