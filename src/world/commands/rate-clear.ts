import { ClockState } from '../../journal/applied-command.ts'
import { toClockState } from '../clocks.ts'
import { defineCommand } from './command.ts'

export const rateClear = defineCommand({
  type: 'rate.clear',
  description: 'Empties the rate-limit windows of every token',
  fields: {},
  result: ClockState,
  frees: () => true,
  prepare: ({ state: { clock, engine } }) => ({
    apply: () => {
      engine.clearRateWindows()
      return toClockState(clock)
    },
  }),
})
