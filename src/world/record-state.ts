import { z } from 'zod'
import { DateTime, DateTimeInput } from '../contract/conventions.ts'
import { AnyRecord } from '../contract/records.ts'

/** How a record is stored besides its fields. */
export const Held = {
  removed: z.boolean().describe('Whether it was removed: a report, or a generated keyword'),
  stated: z
    .boolean()
    .describe('Whether a command has set it, so that a report no longer progresses'),
  moves_from: DateTime.pipe(DateTimeInput)
    .nullable()
    .describe(
      'When a report goes on from that a step of its life has moved; null for any other record',
    ),
}

/** How a record is stored, which `record.restore` restores. */
export const RecordState = z.strictObject({
  record: AnyRecord.nullable().describe(
    'As it is stored: a report as it was before it progressed. Null where there is none, or it is generated',
  ),
  ...Held,
})
export type RecordState = z.output<typeof RecordState>
