import type { GapStatus } from './gap-status.ts'
import { GAPS } from './gaps.ts'
import type { PolicyGap } from './gaps.ts'
import type { Policies, PolicyName } from './policies.ts'

/** The fields of a gap whose behaviour is fixed. */
const NO_POLICY = { policy: null, options: {}, accepts: null, default: null, value: null }

/** Every gap, in the order of the list of gaps. */
export function listGaps(policies: Policies): GapStatus[] {
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
      behaviour: options[value] ?? value,
    }
  })
}

/** The policies with another option than the default. */
export function listChanged(policies: Policies): Record<string, string> {
  return changedOf(listGaps(policies))
}

/** The policies among gaps with another option than the default. */
export function changedOf(gaps: readonly GapStatus[]): Record<string, string> {
  const changed = gaps.flatMap(({ policy, value, default: preset }) =>
    policy === null || value === null || value === preset ? [] : [[policy, value] as const],
  )
  return Object.fromEntries(changed)
}
