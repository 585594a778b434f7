import { z } from 'zod'
import { describe } from '../../contract/text.ts'
import { ClockState } from '../../journal/applied-command.ts'
import { toClockState } from '../clocks.ts'
import { invalidCommand } from '../command-error.ts'
import { parseDuration } from '../duration.ts'
import { defineCommand } from './command.ts'

/** Duration by which to advance a clock: an ISO 8601 string, or an integer number of milliseconds; never negative. */
export const DurationInput = z
  .union([z.int().nonnegative(), z.string()], { error: ({ input }) => notADuration(input) })
  .transform((by, context) => {
    const duration = typeof by === 'number' ? { months: 0, ms: by } : parseDuration(by)
    if (duration) return duration
    context.addIssue({ code: 'custom', message: notADuration(by) })
    return z.NEVER
  })

function notADuration(input: unknown): string {
  return `${describe(input)} is not a duration to advance by. Write ISO 8601 like PT30S, P1D or P1M, or whole milliseconds; never negative ones.`
}

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
