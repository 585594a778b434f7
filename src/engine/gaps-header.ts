import { POLICIES } from '../contract/gaps.ts'
import type { PolicyName } from '../contract/policies.ts'
import type { ApiResponse } from './messages.ts'

/** The header that lists the gaps that matter to a response. */
export const GAPS_HEADER = 'X-Sandbox-Gaps'

/** A response that names policies by the ids of their gaps; without a header where there are none. */
export function withGapsHeader(
  response: ApiResponse,
  policies: readonly PolicyName[],
): ApiResponse {
  if (policies.length === 0) return { ...response, policies }
  const ids = POLICIES.filter(({ policy }) => policies.includes(policy)).map(({ id }) => id)
  return { ...response, policies, headers: { ...response.headers, [GAPS_HEADER]: ids.join(',') } }
}
