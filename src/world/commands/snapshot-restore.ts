import { ClockState } from '../../journal/clock-state.ts'
import { LargeInput } from '../large-input.ts'
import { SnapshotInput } from '../read-snapshot.ts'
import { withNamespacedSnapshot } from '../snapshot.ts'
import type { Snapshot } from '../snapshot.ts'
import { restoreState } from '../restore-state.ts'
import { defineCommand } from './command.ts'
import { restartWorld } from './restart-world.ts'

export const snapshotRestore = defineCommand({
  type: 'snapshot.restore',
  description: 'Restores the world from a snapshot; it continues from there',
  fields: { snapshot: SnapshotInput },
  result: ClockState,
  startsSession: true,
  prepare: async (parts, { snapshot: given }) => {
    const snapshot = given instanceof LargeInput ? await given.readSnapshot() : given
    const state = await restoreState(parts.options, snapshot)
    parts.options.requireRoom(state.records.memory.bytes - parts.state.records.memory.bytes)
    return {
      apply: () => restartWorld(parts, state, snapshot),
      command: { type: 'snapshot.restore', snapshot },
    }
  },
  // A restored world lists the commands of the snapshot instead.
  toListed: null,
  toRecorded: (command, options) => ({
    ...command,
    snapshot: withNamespacedSnapshot(command['snapshot'] as Snapshot, options),
  }),
})
