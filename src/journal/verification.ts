import { z } from 'zod'
import { JournalRequest } from './journal-request.ts'

/** What became of an expectation. */
export const Verification = z.strictObject({
  passed: z.boolean(),
  message: z.string().describe('What was expected and what there was instead, or what there was'),
  matching: z.array(JournalRequest).describe('The requests that were meant'),
  nearest: z
    .array(JournalRequest)
    .describe(
      'Where some are missing: others that most of what was asked for is true of, those first',
    ),
})
export type Verification = z.infer<typeof Verification>
