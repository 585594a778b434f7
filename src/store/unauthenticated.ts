import { PROBLEMS } from '../contract/problems.ts'
import type { ApiResponse } from '../engine/messages.ts'
import { jsonContent } from '../engine/responses.ts'

/** For a token of no world, as the API answers it. */
export const UNAUTHENTICATED: ApiResponse = {
  status: PROBLEMS.unauthenticated.status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' },
  body: jsonContent({ message: PROBLEMS.unauthenticated.message }).bytes,
  caller: undefined,
  problem: 'unauthenticated',
}
