import { ClockState } from '../../journal/clock-state.ts'
import { toClockState } from '../clock.ts'
import { invalidCommand } from '../command-error.ts'
import { DurationInput } from '../duration-input.ts'
import { defineCommand } from './command.ts'

export const clockAdvance = defineCommand({
  type: 'clock.advance',
  description: 'Advances both clocks',
  fields: { by: DurationInput },
  result: ClockState,
  isCostly: true,
  movesTime: true,
  prepare: ({ state: { clock } }, { by }) => ({
    apply: () => {
      if (!clock.canAdvance(by)) {
        const message = 'A clock cannot pass the year 9999. Advance it by less.'
        throw invalidCommand({ path: [], message })
      }
      clock.advance(by)
      return toClockState(clock)
    },
  }),
})
