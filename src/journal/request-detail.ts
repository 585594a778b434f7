import { z } from 'zod'
import { DateTime } from '../contract/conventions.ts'
import { Report } from '../contract/report.ts'
import { HeaderPairs } from './har-file.ts'
import { JournalRequest } from './journal-request.ts'

/** A request of the journal with everything that is kept of it. */
export const RequestDetail = JournalRequest.extend({
  origin: z.string().describe('Scheme and host as the client named them'),
  request_headers: HeaderPairs.describe(
    'As sent, without bearer values and cookies; over 4 kB, those that fit; with a store, only those that identify the client or that the API reads',
  ),
  omitted_headers: z.int().describe('How many request headers were left out to keep within 4 kB'),
  page_origin: z
    .string()
    .nullable()
    .describe('The Origin header, which browsers send; null without one'),
  connection: z
    .int()
    .nullable()
    .describe(
      'The number of its connection among those of this process that sent requests to the API, from 1; null in process, behind a proxy, over HTTP/2 and with a store',
    ),
  sent_at: DateTime.nullable().describe(
    'When the last byte of the response was sent, by the rate clock; for a success without a fault, when the server had produced it. null until then, where it was `aborted`, and where `connection` is null, except for what a fault has delayed',
  ),
  aborted: z
    .boolean()
    .describe(
      'Whether its client closed the connection, or aborted the request, before the last byte was sent',
    ),
  reports: z
    .array(Report.pick({ id: true, report_number: true, status: true }))
    .nullable()
    .describe(
      'The reports that the body shows; null where it shows none, or a fault made it unreadable',
    ),
  response_headers: HeaderPairs,
  body: z
    .string()
    .nullable()
    .describe(
      'The body of the response, before any wire fault; null where it was not sent or is not kept: bodies are kept of the last 200 responses, 8 MB in all, while a stream with `bodies` is open',
    ),
})
export type RequestDetail = z.infer<typeof RequestDetail>
