import { ClockState } from '../../journal/clock-state.ts'
import { startState } from '../world-state.ts'
import { defineCommand } from './command.ts'
import { restartWorld } from './restart-world.ts'

export const reset = defineCommand({
  type: 'reset',
  description:
    'Restores everything as created: records, both clocks, policies, faults, rate windows, journal',
  fields: {},
  result: ClockState,
  startsSession: true,
  prepare: async (parts) => {
    const start = await startState(parts.options, parts.state.records)
    return { apply: () => restartWorld(parts, start()) }
  },
})
