import { z } from 'zod'
import { describe } from './text.ts'
import {
  ABSOLUTE,
  DATE_TIME_REMEDY,
  DAY,
  FROM_MONTH,
  FROM_NOW,
  isMoment,
  parseAbsolute,
  RELATIVE_FORMS,
} from './time.ts'

/** An integer identifier (specification 2.1). */
export const Id = z.int().positive()

/** A point in time on the wire: ISO 8601, UTC, six fractional digits (specification 2.1). */
export const DateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ format: 'date-time', examples: ['2026-03-15T12:00:00.000000Z'] })

/** A calendar day on the wire: `YYYY-MM-DD` (specification 2.1). */
export const CalendarDate = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ format: 'date', examples: ['2026-03-15'] })

/** Id and name of a country or a language, in lists and embedded in projects (specification 2.3). */
export const Label = z.strictObject({
  id: Id.describe('ID used in other calls'),
  label: z.string().describe('Display name'),
})
export type Label = z.infer<typeof Label>

/** Returns the `error` option of a schema: messages for missing and invalid input, with the remedy. */
function momentError(noun: string, remedy: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined
        ? `This is required: give ${noun}. ${remedy}`
        : `${describe(input)} is not ${noun}. ${remedy}`,
  }
}

const dateTimeError = momentError('a date and time', DATE_TIME_REMEDY)

const absoluteError = momentError(
  'an absolute date and time',
  'Write one like 2026-03-15T12:00:00Z, with a day that exists and Z or an offset.',
)

const dateError = momentError(
  'a date',
  `Write a day that exists, like 2026-03-15, or one relative to the clock: ${RELATIVE_FORMS}.`,
)

/**
 * Joins regular expressions, each anchored with `^` and `$`, into one pattern for a JSON Schema. The pattern does not check that a day
 * exists.
 */
function toPattern(...forms: RegExp[]): string {
  const sources = forms.map(({ source }) => source.slice(1, -1).replaceAll(/\?<\w+>/g, ''))
  return `^(?:${sources.join('|')})$`
}

/** A point in time as users write it: absolute with Z or an offset, a day (midnight UTC), or relative to the world clock. */
export const DateTimeInput = z
  .string(dateTimeError)
  .refine(isMoment, dateTimeError)
  .meta({
    description:
      'Absolute with Z or an offset, a day (midnight UTC), or relative to the world clock',
    pattern: toPattern(ABSOLUTE, FROM_NOW, FROM_MONTH),
    examples: ['2026-03-15T12:00:00Z', '2026-03-15', 'now', 'now-3d', 'now+2h', 'month+0/05'],
  })

/** A point in time as users write it where there is no world clock: absolute with Z or an offset, or a day (midnight UTC). */
export const AbsoluteDateTime = z
  .string(absoluteError)
  .refine((text) => parseAbsolute(text) !== undefined, absoluteError)
  .meta({
    description: 'Absolute with Z or an offset, or a day (midnight UTC)',
    pattern: toPattern(ABSOLUTE),
    examples: ['2026-03-15T12:00:00Z', '2026-03-15'],
  })

/** A calendar day as users write it: absolute, or relative to the world clock. */
export const CalendarDateInput = z
  .string(dateError)
  .refine((text) => isMoment(text) && (!ABSOLUTE.test(text) || DAY.test(text)), dateError)
  .meta({
    description: 'A day, absolute or relative to the world clock',
    pattern: toPattern(DAY, FROM_NOW, FROM_MONTH),
    examples: ['2026-03-15', 'now', 'now-3d', 'month+0/05', 'month-1/31'],
  })

export const MOMENT_INPUTS = { date: CalendarDateInput, dateTime: DateTimeInput } as const
