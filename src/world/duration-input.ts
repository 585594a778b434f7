import { z } from 'zod'
import { describe } from '../contract/text.ts'
import { parseDuration } from './duration.ts'

/** How far to advance a clock: an ISO 8601 duration, or milliseconds. Never negative. */
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
