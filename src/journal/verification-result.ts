import { z } from 'zod'
import { JournalRequest } from './journal-request.ts'

/** The result of an expectation. */
export const Verification = z.strictObject({
  passed: z.boolean(),
  message: z.string().describe('What was expected and what was requested'),
  matching: z.array(JournalRequest).describe('The requests that match'),
  nearest: z
    .array(JournalRequest)
    .describe('Where some are missing: other requests, those that meet most of the criteria first'),
})
export type Verification = z.infer<typeof Verification>
