import { z } from 'zod'
import { ROUTES } from '../../contract/routes.ts'
import type { OperationId } from '../../contract/routes.ts'
import { PLAIN_PROBLEMS, PROBLEMS } from '../../contract/problems.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import { describe } from '../../contract/text.ts'
import { defineFaultKind } from './fault-kind.ts'

const MAXIMUM_RETRY_AFTER = 86_400
const DEFAULT_RETRY_AFTER = 1

const RETRY_STATUSES: readonly number[] = [429, 503]

const Seconds = z.int().min(0).max(MAXIMUM_RETRY_AFTER)
const DateIn = z.strictObject({
  date_in: z
    .int()
    .min(-MAXIMUM_RETRY_AFTER)
    .max(MAXIMUM_RETRY_AFTER)
    .describe(
      'Seconds from the `Date` of the response to the date; negative for a date in the past',
    ),
})

function unfit({ input }: { input?: unknown }): string {
  return typeof input === 'number'
    ? `${describe(input)} is not a whole number. Write one from 0 to ${MAXIMUM_RETRY_AFTER}.`
    : `${describe(input)} cannot be in Retry-After. Write seconds, { date_in: seconds }, an HTTP date, or other text of at most 100 visible ASCII characters.`
}

/** Value of a header: 1 to 100 visible ASCII characters. Spaces are allowed between them, as in dates, and count too. */
const HeaderText = z.string().regex(/^[!-~](?:[ -~]{0,98}[!-~])?$/, { error: unfit })

const RetryAfter = z.union([Seconds, DateIn, HeaderText], { error: unfit })

export const ErrorStatus = z
  .literal(PLAIN_PROBLEMS.map((code) => PROBLEMS[code].status))
  .meta({ title: 'status that faults have' })

/** An error in the format of the API. Every 429 has Retry-After (specification 8). */
export const status = defineFaultKind({
  kind: 'status',
  description: 'An error in the format of the API, in place of its response',
  fields: {
    status: ErrorStatus,
    retry_after: RetryAfter.optional().describe(
      'Seconds in Retry-After, on 429 and 503; 1 on a 429 if omitted. On a 503 also `{ date_in: 120 }`, a date 120 seconds after the response, or an HTTP date or other text, sent unchanged',
    ),
  },
  check: ({ status: code, retry_after }, context) => {
    const refuse = (message: string) =>
      context.addIssue({ code: 'custom', path: ['retry_after'], message })
    if (retry_after === undefined) return
    if (!RETRY_STATUSES.includes(code))
      refuse(`Retry-After only goes with ${RETRY_STATUSES.join(' and ')}. Leave it out.`)
    else if (code === 429 && typeof retry_after !== 'number')
      refuse(
        `The Retry-After of a 429 is in seconds (section 8). Write a whole number from 0 to ${MAXIMUM_RETRY_AFTER}.`,
      )
  },
  hasBody: true,
  replaces: ({ status: code, retry_after }, { operation, rateMs, reject }) => {
    const response = reject(problemOf(code, operation))
    const retryAfter = retry_after ?? (code === 429 ? DEFAULT_RETRY_AFTER : undefined)
    if (retryAfter === undefined) return response
    const text =
      typeof retryAfter === 'object' ? toDate(rateMs, retryAfter.date_in) : String(retryAfter)
    const waitSeconds = SECONDS.test(text) ? Number(text) : undefined
    const headers = { ...response.headers, 'Retry-After': text }
    if (code !== 429 || waitSeconds === undefined) return { ...response, headers, waitSeconds }
    const reset = Math.ceil(rateMs / 1000) + waitSeconds
    return { ...response, headers: { ...headers, 'X-RateLimit-Reset': String(reset) }, waitSeconds }
  },
})

const SECONDS = /^\d+$/

/** Returns the time that is some seconds after the `Date` of a response, as an IMF-fixdate (RFC 9110, 5.6.7). */
function toDate(rateMs: number, seconds: number): string {
  return new Date((Math.floor(rateMs / 1000) + seconds) * 1000).toUTCString()
}

/** Returns the problem for a status; for a 404 the endpoint's own, which names the missing resource. */
export function problemOf(code: number, operation: OperationId | undefined): ProblemCode {
  const endpointProblems = code === 404 && operation ? ROUTES[operation].problems : []
  const found = [...endpointProblems, ...PLAIN_PROBLEMS].find(
    (problem) => PROBLEMS[problem].status === code,
  )
  return found ?? 'server_error'
}
