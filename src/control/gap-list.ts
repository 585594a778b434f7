import { GAPS, POLICIES } from '../contract/gaps.ts'
import type { PolicyGap } from '../contract/gaps.ts'
import type { Policies, PolicyName } from '../contract/policies.ts'
import type { ApiResponse } from '../engine/messages.ts'
import type { ListedGap } from './answers/listed-gap.ts'

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
