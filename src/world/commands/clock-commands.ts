import { z } from 'zod'
import { DateTimeInput } from '../../contract/moment-inputs.ts'
import { ClockState } from '../../journal/clock-state.ts'
import { toClockState } from '../clock.ts'
import { invalidCommand } from '../command-error.ts'
import { DurationInput } from '../duration-input.ts'
import { defineCommand } from './command.ts'

export const clockSet = defineCommand({
  type: 'clock.set',
  description: 'Sets the world clock; the rate clock stays',
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

export const clockAdvance = defineCommand({
  type: 'clock.advance',
  description: 'Advances both clocks',
  fields: { by: DurationInput },
  result: ClockState,
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

export const clockFreeze = defineCommand({
  type: 'clock.freeze',
  description: 'Stops the world clock, or lets it run again',
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
