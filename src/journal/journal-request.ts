import { z } from 'zod'
import { AppliedCommand } from './applied-command.ts'
import { ClockState } from './clock-state.ts'

/** A request that was answered, as the journal shows it. */
export const JournalRequest = z.strictObject({
  sequence: AppliedCommand.shape.sequence,
  world: z
    .string()
    .describe('The id of the world that answered: `default`, or that of an isolated one'),
  clock: ClockState.omit({ frozen: true }).describe('Both clocks when it came'),
  method: z.string(),
  path: z.string().describe('As sent, bearer values left out'),
  query: z.string().describe('As sent, without the question mark, bearer values left out'),
  route: z
    .string()
    .nullable()
    .describe('The endpoint, like `GET /projects/{project}`; null for a path that none has'),
  project: z
    .int()
    .nullable()
    .describe(
      'The id of the project in the path; null where the endpoint is about none, or it is no number',
    ),
  token: z.string().nullable().describe('The name of the token; null where it is unknown'),
  token_id: z.int().nullable(),
  scheme: z
    .string()
    .nullable()
    .describe(
      'The scheme of the Authorization header: `Bearer`; `unknown` for none that is registered, null without one',
    ),
  client_ip: z.string(),
  status: z.int().describe('0 where no answer arrived'),
  decided_by: z
    .string()
    .describe(
      'The rule that decided: `fault 3`, `minute window`, `hour window`, `minute and hour window`, the code of a problem like `project_not_found`, or `resource`',
    ),
  gaps: z
    .array(z.string())
    .describe('The ids of the gaps that the answer rested on, such as `G-031`'),
  faults: z.array(z.int()).describe('The ids of the faults that had a part in it'),
  body_bytes: z.int().describe('Bytes of the body, before any fault of the wire'),
  duration_ms: z.number().describe('How long the answer took to make, delays of faults left out'),
})
export type JournalRequest = z.infer<typeof JournalRequest>
