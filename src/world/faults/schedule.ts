import { z } from 'zod'
import { AbsoluteDateTime, DateTimeInput } from '../../contract/conventions.ts'
import { resolveDateTime } from '../../contract/time.ts'
import type { Validated } from '../../contract/validation.ts'

const Count = z.int().min(1)

/** The forms of a schedule, each with its fields. */
const FORMS = [['first'], ['every'], ['nth'], ['from', 'until'], ['share']] as const

/** The schema of schedules, with that schema for their times. */
function scheduleBy(time: z.ZodType<string>) {
  const shape = {
    first: Count.optional().describe('This many, from the first on'),
    every: Count.optional().describe('Those at this count and its multiples'),
    nth: Count.optional().describe('Only the one at this count'),
    from: time.optional().describe('Those from this time on the world clock on'),
    until: time.optional().describe('Those before this time on the world clock'),
    share: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe(
        'This share of them, chosen at random from the seed of the world: always the same ones',
      ),
  }
  return z.strictObject(shape).superRefine((schedule, context) => {
    const used = FORMS.filter((fields) => fields.some((field) => schedule[field] !== undefined))
    if (used.length === 1) return
    const message = `A schedule has one form. Use one of: ${FORMS.map((fields) => fields.join(' and ')).join(', ')}.`
    context.addIssue({ code: 'custom', message })
  })
}

/** Which of the requests that a fault targets it affects; without a schedule, all of them. */
export const Schedule = scheduleBy(DateTimeInput)
export type Schedule = z.output<typeof Schedule>

/** The schedule of an armed fault: its times are absolute. */
export const ArmedSchedule = scheduleBy(AbsoluteDateTime)

/** Makes the times of a schedule absolute, relative to the world clock. */
export function resolveSchedule(schedule: Schedule, nowMs: number): Validated<Schedule> {
  const resolved = { ...schedule }
  if (schedule.from !== undefined) resolved.from = resolveDateTime(schedule.from, nowMs)
  if (schedule.until !== undefined) resolved.until = resolveDateTime(schedule.until, nowMs)
  const { from, until } = resolved
  if (from === undefined || until === undefined || from < until) return { value: resolved }
  const message = `${until} is not after ${from}, where it begins. Write a later time.`
  return { problems: [{ path: ['until'], message }] }
}
