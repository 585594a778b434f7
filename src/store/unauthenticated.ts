import { PROBLEMS } from '../contract/problems.ts'
import type { ApiResponse } from '../engine/messages.ts'
import { jsonContent } from '../engine/responses.ts'

/** The API's response to a token that belongs to no world. */
export const UNAUTHENTICATED: ApiResponse = {
  status: PROBLEMS.unauthenticated.status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' },
  body: jsonContent({ message: PROBLEMS.unauthenticated.message }).bytes,
  caller: undefined,
  problem: 'unauthenticated',
}
