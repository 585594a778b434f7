import { z } from 'zod'
import { Id } from './conventions.ts'

/** An agency as a world stores it. The wire shows only its id and name, inside other objects. */
export const AgencyRecord = z.strictObject({
  id: Id.describe('Agency ID'),
  name: z.string().describe('Agency name'),
  report_cc_email: z
    .string()
    .nullable()
    .default(null)
    .describe('CC address of every report e-mail: the `cc_email` of all its projects'),
})
export type AgencyRecord = z.infer<typeof AgencyRecord>
