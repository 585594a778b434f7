import type { GapStatus } from './control-status.ts'
import { POLICIES, GAPS } from './gaps.ts'
import type { Policy, PolicyGap } from './gaps.ts'
import { isMap } from './read-fields.ts'

/** The name of a policy, which sets the behaviour for one gap of the specification. */
export type PolicyName = Policy['policy']

/** An option of a policy; any string if the policy accepts values that cannot be listed. */
export type PolicyValue<Name extends PolicyName> =
  | keyof Extract<Policy, { policy: Name }>['options']
  | (Extract<Policy, { policy: Name }> extends { accepts: unknown } ? string & {} : never)

/** The option in force for each policy. */
export type Policies = { [Name in PolicyName]: PolicyValue<Name> }

/** An option of a policy, and the day on which a comparison observed it in the service. */
export interface SeenPolicy {
  value: string
  /** The day of the observation, like `2026-12-03`. */
  seen: string
}

export function isSeenPolicy(input: unknown): input is SeenPolicy {
  const { value, seen } = (isMap(input) ? input : {}) as Partial<Record<string, unknown>>
  return typeof value === 'string' && typeof seen === 'string'
}

/** Returns only the settings that a comparison observed in the service, by policy. */
export function seenIn(settings: unknown): Record<string, SeenPolicy> {
  const entries = Object.entries(isMap(settings) ? settings : {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, SeenPolicy] => isSeenPolicy(entry[1])),
  )
}

/** Returns the option that is in force for a policy. */
export type ReadPolicy = <Name extends PolicyName>(name: Name) => PolicyValue<Name>

/** Returns the option of every policy: the default, overridden by each of the parsed `settings` in order. */
export function resolvePolicies(...settings: Record<string, string>[]): Policies {
  const defaults = Object.fromEntries(POLICIES.map((gap) => [gap.policy, gap.default]))
  return Object.assign(defaults, ...settings) as Policies
}

/** Policy fields of a gap whose behaviour is fixed. */
const NO_POLICY = {
  policy: null,
  options: {},
  accepts: null,
  default: null,
  value: null,
  seen: null,
}

/**
 * Returns the status of every gap under `policies`, by ascending id. `seen` has the options observed in the service, by policy.
 */
export function listGaps(
  policies: Policies,
  seen: Readonly<Record<string, SeenPolicy>> = {},
): GapStatus[] {
  return GAPS.map((gap): GapStatus => {
    const { id, section, question } = gap
    if (!('policy' in gap)) {
      return { id, section, question, ...NO_POLICY, behaviour: gap.behaviour }
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
      seen: seen[gap.policy]?.value === value ? (seen[gap.policy]?.seen ?? null) : null,
      behaviour: options[value] ?? value,
    }
  })
}

/** Returns the options that are not the default, by policy. */
export function listChanged(policies: Policies): Record<string, string> {
  return changedOf(listGaps(policies))
}

export function changedOf(gaps: readonly GapStatus[]): Record<string, string> {
  const changed = gaps.flatMap(({ policy, value, default: preset }) =>
    policy === null || value === null || value === preset ? [] : [[policy, value] as const],
  )
  return Object.fromEntries(changed)
}
