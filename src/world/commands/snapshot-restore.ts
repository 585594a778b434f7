import { ClockState } from '../../journal/applied-command.ts'
import { SnapshotInput, restoreState } from '../restore-state.ts'
import { withNamespacedSnapshot } from '../snapshot.ts'
import { sizeOf, toReplace } from './additions.ts'
import { defineCommand } from './command.ts'
import type { LoadedSnapshot } from './command.ts'
import { restartWorld } from './reset.ts'

export const snapshotRestore = defineCommand({
  type: 'snapshot.restore',
  description: 'Restores the world from a snapshot and continues from there',
  fields: { snapshot: SnapshotInput },
  result: ClockState,
  isCostly: true,
  startsSession: true,
  load: async (_, { snapshot }): Promise<LoadedSnapshot> => ({ snapshot }),
  loadedField: 'snapshot',
  adds: (parts, _, loaded) => toReplace(parts, sizeOf(loaded)),
  prepare: async (parts, _, { snapshot }) => {
    const state = await restoreState(parts.options, snapshot)
    return { apply: () => restartWorld(parts, state, snapshot) }
  },
  // A restored world lists the commands of the snapshot instead.
  toListed: null,
  toRecorded: ({ type }, { snapshot }, options) => ({
    type,
    snapshot: withNamespacedSnapshot(snapshot, options),
  }),
})
