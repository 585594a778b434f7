import { z } from 'zod'
import { ROUTES } from '../../contract/routes.ts'
import type { OperationId } from '../../contract/routes.ts'
import { PLAIN_PROBLEMS, PROBLEMS } from '../../contract/problems.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import { defineFaultKind } from './fault-kind.ts'

const MAXIMUM_RETRY_AFTER = 86_400
const DEFAULT_RETRY_AFTER = 1

const RETRY_STATUSES: readonly number[] = [429, 503]

export const ErrorStatus = z
  .literal(PLAIN_PROBLEMS.map((code) => PROBLEMS[code].status))
  .meta({ title: 'status that faults have' })

/** An error as the API itself would send it. Every 429 says when to retry (specification 8). */
export const status = defineFaultKind({
  kind: 'status',
  description: 'An error in the format of the API, in place of its response',
  fields: {
    status: ErrorStatus,
    retry_after: z
      .int()
      .min(0)
      .max(MAXIMUM_RETRY_AFTER)
      .optional()
      .describe('Seconds in Retry-After, on 429 and 503; a 429 has 1 where omitted'),
  },
  check: (fault, context) => {
    if (fault.retry_after === undefined || RETRY_STATUSES.includes(fault.status)) return
    const message = `Retry-After only goes with ${RETRY_STATUSES.join(' and ')}. Leave it out.`
    context.addIssue({ code: 'custom', path: ['retry_after'], message })
  },
  hasBody: true,
  replaces: ({ status: code, retry_after }, { operation, rateMs, reject }) => {
    const response = reject(problemOf(code, operation))
    const waitSeconds = retry_after ?? (code === 429 ? DEFAULT_RETRY_AFTER : undefined)
    if (waitSeconds === undefined) return response
    const headers = { ...response.headers, 'Retry-After': String(waitSeconds) }
    if (code !== 429) return { ...response, headers, waitSeconds }
    const reset = Math.ceil(rateMs / 1000) + waitSeconds
    return { ...response, headers: { ...headers, 'X-RateLimit-Reset': String(reset) }, waitSeconds }
  },
})

/** The problem for a status; for a 404 the endpoint's own, which names what was not found. */
export function problemOf(code: number, operation: OperationId | undefined): ProblemCode {
  const own = code === 404 && operation ? ROUTES[operation].problems : []
  const found = [...own, ...PLAIN_PROBLEMS].find((problem) => PROBLEMS[problem].status === code)
  return found ?? 'server_error'
}
