import { z } from 'zod'
import { HeaderPairs } from './har-file.ts'
import { JournalRequest } from './journal-request.ts'

/** A request of the journal with everything that is kept of it. */
export const RequestDetail = JournalRequest.extend({
  origin: z.string().describe('Scheme and host as the client named them'),
  request_headers: HeaderPairs.describe(
    'As sent, without bearer values and cookies; over 4 kB, those that fit',
  ),
  omitted_headers: z.int().describe('How many request headers were left out to keep within 4 kB'),
  response_headers: HeaderPairs,
  body: z
    .string()
    .nullable()
    .describe(
      'The body of the response, before any wire fault; null where it was not sent or is not kept: bodies are kept of the last 200 responses, 8 MB in all, while a stream with `bodies` is open',
    ),
})
export type RequestDetail = z.infer<typeof RequestDetail>
