import { GAPS } from '../contract/gaps.ts'
import type { Policies, PolicyName } from '../contract/policies.ts'

/** Something that the specification leaves open, and what the sandbox does there. */
export interface ListedGap {
  /** `G-031`. */
  id: string
  /** The section of the specification that is silent or ambiguous. */
  section: string
  question: string
  /** The name of the policy that sets it; null where there is one behaviour, which nothing changes. */
  policy: string | null
  /** What each option of the policy does; empty without one. */
  options: Record<string, string>
  /** The option where nothing sets it; null without a policy. */
  default: string | null
  /** The option in force; null without a policy. */
  value: string | null
  /** What the sandbox does now, in words. */
  behaviour: string
}

/** Every gap, in the order of the list of gaps. */
export function listGaps(policies: Policies): ListedGap[] {
  return GAPS.map((gap): ListedGap => {
    const { id, section, question } = gap
    if (!('policy' in gap)) {
      const { behaviour } = gap
      return {
        id,
        section,
        question,
        policy: null,
        options: {},
        default: null,
        value: null,
        behaviour,
      }
    }
    const options: Record<string, string> = gap.options
    const value = policies[gap.policy satisfies PolicyName]
    return {
      id,
      section,
      question,
      policy: gap.policy,
      options,
      default: gap.default,
      value,
      behaviour: options[value] ?? value,
    }
  })
}
