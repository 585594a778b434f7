import { z } from 'zod'
import { GAPS } from './gaps.ts'
import type { PolicyGap } from './gaps.ts'
import type { Policies, PolicyName } from './policies.ts'

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

/** Every gap, in the order of the list of gaps. */
export function listGaps(policies: Policies): GapStatus[] {
  return GAPS.map((gap): GapStatus => {
    const { id, section, question } = gap
    if (!('policy' in gap)) {
      const { behaviour } = gap
      return {
        id,
        section,
        question,
        policy: null,
        options: {},
        accepts: null,
        default: null,
        value: null,
        behaviour,
      }
    }
    const { options, accepts }: PolicyGap = gap
    const value = policies[gap.policy satisfies PolicyName]
    return {
      id,
      section,
      question,
      policy: gap.policy,
      options,
      accepts: accepts?.description ?? null,
      default: gap.default,
      value,
      behaviour: options[value] ?? value,
    }
  })
}
