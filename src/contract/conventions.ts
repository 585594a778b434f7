import { z } from 'zod'

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

/** The part of a list item that reference data and embedded references share (specification 2.3). */
export const Label = z.strictObject({
  id: Id.describe('ID used in other calls'),
  label: z.string().describe('Display name'),
})
export type Label = z.infer<typeof Label>
