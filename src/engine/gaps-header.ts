import { POLICIES } from '../contract/gaps.ts'
import type { ApiResponse } from './messages.ts'

/** The header in which an answer names the gaps that it rests on. */
export const GAPS_HEADER = 'X-Sandbox-Gaps'

/** An answer with the ids of the gaps that it rests on, those that a policy sets; as it is where there is none. */
export function withGapsHeader(response: ApiResponse): ApiResponse {
  const used = POLICIES.filter(({ policy }) => response.policies?.includes(policy))
  if (used.length === 0) return response
  const ids = used.map(({ id }) => id).join(',')
  return { ...response, headers: { ...response.headers, [GAPS_HEADER]: ids } }
}
