import { z } from 'zod'
import { POLICIES } from '../../contract/gaps.ts'
import { PolicySettings } from '../../contract/policy-settings.ts'
import type { Policies } from '../../contract/policies.ts'
import { setPolicies } from '../world-state.ts'
import { defineCommand } from './command.ts'

/** The option in force for each policy. */
export const PoliciesInForce = z.strictObject(
  Object.fromEntries(
    POLICIES.map(({ policy, question }) => [policy, z.string().describe(question)]),
  ),
) as unknown as z.ZodType<Policies>

export const policySet = defineCommand({
  type: 'policy.set',
  description: 'Sets policies, by name or id, until a reset',
  fields: { policies: PolicySettings },
  result: PoliciesInForce,
  prepare: (parts, { policies }) => ({
    apply: () => {
      parts.state = setPolicies(parts.options, parts.state, policies)
      return parts.state.policies
    },
  }),
})
