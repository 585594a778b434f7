import { POLICIES } from './gaps.ts'
import type { Policy } from './gaps.ts'

/** The name of a gap that can be varied. */
export type PolicyName = Policy['policy']

/** The options of a policy. */
export type PolicyValue<Name extends PolicyName> =
  | keyof Extract<Policy, { policy: Name }>['options']
  | (Extract<Policy, { policy: Name }> extends { accepts: unknown } ? string & {} : never)

/** Every policy with the option that is in force. */
export type Policies = { [Name in PolicyName]: PolicyValue<Name> }

/** Reads the option of a policy that is in force. */
export type ReadPolicy = <Name extends PolicyName>(name: Name) => PolicyValue<Name>

/** All policies: the defaults, overridden by each of the parsed `settings` in order. */
export function resolvePolicies(...settings: Record<string, string>[]): Policies {
  const defaults = Object.fromEntries(POLICIES.map((gap) => [gap.policy, gap.default]))
  return Object.assign(defaults, ...settings) as Policies
}
