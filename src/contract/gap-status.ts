import { z } from 'zod'

/** Something that the specification leaves open, and what the sandbox does. */
export const GapStatus = z.strictObject({
  id: z.string().describe('`G-031`'),
  section: z.string().describe('The section of the specification that is silent or ambiguous'),
  question: z.string(),
  policy: z
    .string()
    .nullable()
    .describe('The name of the policy that sets it; null where the behaviour is fixed'),
  options: z
    .record(z.string(), z.string())
    .describe('What each option of the policy does; empty without one'),
  accepts: z
    .string()
    .nullable()
    .describe('Further values that cannot be listed, described; null where there are none'),
  default: z
    .string()
    .nullable()
    .describe('The option where nothing sets it; null without a policy'),
  value: z.string().nullable().describe('The option in force; null without a policy'),
  behaviour: z.string().describe('What the sandbox does now, in words'),
})
export type GapStatus = z.infer<typeof GapStatus>
