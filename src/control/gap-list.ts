import { GAPS, POLICIES } from '../contract/gaps.ts'
import type { PolicyGap } from '../contract/gaps.ts'
import type { Policies, PolicyName } from '../contract/policies.ts'
import type { ApiResponse } from '../engine/messages.ts'

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
  /** What else it may be set to, which cannot be listed; null for nothing. */
  accepts: string | null
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

/** The header in which an answer names the gaps that it rests on. */
export const GAPS_HEADER = 'X-Sandbox-Gaps'

/** An answer with the ids of the gaps that it rests on, those that a policy sets; as it is where there is none. */
export function withGapsHeader(response: ApiResponse): ApiResponse {
  const asked = POLICIES.filter(({ policy }) => response.policies?.includes(policy))
  if (asked.length === 0) return response
  const ids = asked.map(({ id }) => id).join(',')
  return { ...response, headers: { ...response.headers, [GAPS_HEADER]: ids } }
}
