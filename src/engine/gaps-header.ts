import { POLICIES } from '../contract/gaps.ts'
import type { ApiResponse } from './messages.ts'

/** The header that lists the gaps that a response depends on. */
export const GAPS_HEADER = 'X-Sandbox-Gaps'

/** A response with the ids of the policy gaps that it depends on; the same response where there are none. */
export function withGapsHeader(response: ApiResponse): ApiResponse {
  const used = POLICIES.filter(({ policy }) => response.policies?.includes(policy))
  if (used.length === 0) return response
  const ids = used.map(({ id }) => id).join(',')
  return { ...response, headers: { ...response.headers, [GAPS_HEADER]: ids } }
}
