import { OPERATION_IDS, toEndpoint } from '../../contract/routes.ts'
import { defineCheck, remember } from '../check.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'
import { hasWrongNumber } from './report-number-range.ts'

interface Missing {
  caller: string
  request: NamedRequest
  /** The last request that was refused with a wait. */
  sequence: number
  /** Until when its client was told to wait, by the rate clock in epoch milliseconds; null after a failure. */
  untilMs: number | null
  /** What was asked, and how it failed. */
  what: string
}

interface State {
  missing: Map<string, Missing>
  /** The last request of each caller. */
  asked: Map<string, { sequence: number; rateMs: number }>
}

/** A client that is told to come back later may stop instead, unless it asks for something else. */
const LATER: readonly number[] = [408, 429]

/** Each of them shows the state of the reports of a project, so any of them makes up for another. */
export const PROGRESS: readonly unknown[] = [
  'listReports',
  'getLatestReport',
  'getLastGeneratedReport',
]

export const missingAfterError = defineCheck({
  id: 'missing-after-error',
  category: 'retries',
  severity: 'error',
  section: '7',
  finds:
    'What failed with a 5xx, a lost connection or a broken body was never read afterwards; or what got a 429 or 408 was not, though the token was used again after the wait',
  instead:
    'Retry a 408, a 429, a 5xx, a lost connection and a body that cannot be parsed, and keep the old data and repeat the run where that does not help.',
  exercise:
    'Add a fault that fails a request of the client, such as one of `status` 500; a 429 or 408 is no failure.',
  sees: OPERATION_IDS,
  start: (): State => ({ missing: new Map(), asked: new Map() }),
  read: (request, report, { missing, asked }) => {
    const { sender, operation, isFailure, status, caller, rateMs, sequence } = request
    const isLater = !isFailure && LATER.includes(status)
    if (missing.size > 0) noteAsked(asked, request)
    else if (!isFailure && !isLater) return
    if (sender.method !== 'GET' || operation === 'getMe' || hasWrongNumber(request)) return
    const key = resourceOf(request)
    if (!isFailure && !isLater) {
      missing.delete(key)
      return
    }
    if (isFailure) report.meet()
    else if (!sender.token) return
    const untilMs = isFailure ? null : rateMs + (request.retryAfterMs ?? 0)
    const known = missing.get(key)
    if (known && isLater) {
      known.sequence = sequence
      // After a failure it is missing even if the client was told to wait since.
      if (known.untilMs !== null) known.untilMs = untilMs
      return
    }
    const what = `${toEndpoint(operation!)}, which ${howFailed(status)}`
    remember(missing, key, { caller, request: request.toNamed(), sequence, untilMs, what })
  },
  mendedIn: 'session',
  pending: ({ missing, asked }) =>
    [...missing.values()]
      .filter(({ caller, sequence, untilMs }) => {
        const last = asked.get(caller)
        const isLater = last !== undefined && last.sequence > sequence
        return untilMs === null || (isLater && last.rateMs >= untilMs)
      })
      .map(({ request, what }) => ({
        requests: [request],
        message: `Request ${request.sequence} asked for ${what}, and the client never got it afterwards.`,
      })),
})

function noteAsked(
  asked: State['asked'],
  { caller, sequence, rateMs }: Readonly<ReviewedRequest>,
): void {
  const last = asked.get(caller)
  if (!last) {
    remember(asked, caller, { sequence, rateMs })
    return
  }
  last.sequence = sequence
  last.rateMs = rateMs
}

function resourceOf({ operation, project, caller, key }: Readonly<ReviewedRequest>): string {
  return PROGRESS.includes(operation) ? `${caller} ${project}` : key
}

/** How a request failed, as the end of a sentence. */
export function howFailed(status: number): string {
  if (status === 0) return 'got no response'
  return status >= 400 ? `failed with ${status}` : 'came with a broken body'
}
