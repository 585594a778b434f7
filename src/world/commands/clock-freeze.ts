import { z } from 'zod'
import { ClockState } from '../../journal/applied-command.ts'
import { toClockState } from '../clocks.ts'
import { defineCommand } from './command.ts'

export const clockFreeze = defineCommand({
  type: 'clock.freeze',
  description: 'Stops or restarts the world clock',
  fields: { frozen: z.boolean().default(true) },
  result: ClockState,
  movesTime: true,
  prepare: ({ state: { clock } }, { frozen }) => ({
    apply: () => {
      clock.freeze(frozen)
      return toClockState(clock)
    },
  }),
})
