import { DateTimeInput } from '../../contract/conventions.ts'
import { ClockState } from '../../journal/applied-command.ts'
import { toClockState } from '../clocks.ts'
import { defineCommand } from './command.ts'

export const clockSet = defineCommand({
  type: 'clock.set',
  description: 'Sets the world clock; the rate clock is unaffected',
  fields: { now: DateTimeInput },
  result: ClockState,
  movesTime: true,
  prepare: ({ state: { clock, engine } }, { now }) => ({
    apply: () => {
      engine.staleView.drop()
      clock.set(now)
      return toClockState(clock)
    },
  }),
})
