import { z } from 'zod'
import { AppliedCommand, ClockState } from './applied-command.ts'

/** A request to the API, as the journal shows it. */
export const JournalRequest = z.strictObject({
  sequence: AppliedCommand.shape.sequence,
  world: z
    .string()
    .describe('The id of the world that responded: `default`, or that of an isolated world'),
  clock: ClockState.omit({ frozen: true }).describe('Both clocks at its arrival'),
  method: z.string(),
  path: z.string().describe('Path as sent, without bearer values'),
  query: z.string().describe('Query as sent, without the question mark and bearer values'),
  route: z
    .string()
    .nullable()
    .describe('The endpoint, like `GET /projects/{project}`; null for an unknown path'),
  project: z
    .int()
    .nullable()
    .describe('The id of the project in the path; null if there is none, or it is not a number'),
  token: z.string().nullable().describe('The name of the token; null for an unknown token'),
  token_id: z.int().nullable(),
  scheme: z
    .string()
    .nullable()
    .describe(
      'The scheme of the Authorization header, such as `Bearer`; `unknown` for an unregistered one, null without the header',
    ),
  client_ip: z.string(),
  from_console: z.boolean().describe('True if the console sent it, rather than a client'),
  status: z.int().describe('0 if no response arrived'),
  decided_by: z
    .string()
    .describe(
      'The rule that decided: `fault 3`, `minute window`, `hour window`, `minute and hour window`, the code of a problem like `project_not_found`, or `resource`. A fault that only delays a response decides nothing',
    ),
  rule: z
    .string()
    .nullable()
    .describe(
      'The section of the specification that selected the report, or found none: `4.5(1)`, `4.5(2)`, `4.5(3)` or `4.6`; null for any other response',
    ),
  gaps: z
    .array(z.string())
    .describe(
      'Ids of the gaps that the response relies on, such as `G-031`; if responses name gaps, those that matter to it',
    ),
  faults: z.array(z.int()).describe('The ids of the faults that affected it'),
  delay_ms: z
    .number()
    .describe('Delay of the response and its body by faults, in milliseconds; 0 if none'),
  body_bytes: z
    .int()
    .describe(
      'Size of the body in bytes, before any wire fault, with the links of reports as in process',
    ),
  duration_ms: z
    .number()
    .nullable()
    .describe(
      'Time to produce the response, in milliseconds, without delays by faults; null with a store, as it would differ between processes',
    ),
})
export type JournalRequest = z.infer<typeof JournalRequest>

/** The result of comparing requests with an expectation. */
export const Verification = z.strictObject({
  passed: z.boolean(),
  message: z.string().describe('The expectation and the requests found, in a sentence'),
  matching: z.array(JournalRequest).describe('The requests that match'),
  nearest: z
    .array(JournalRequest)
    .describe('If requests are missing: other requests, those that meet most criteria first'),
})
export type Verification = z.infer<typeof Verification>
