import { WAIT_TOLERANCE_MS } from '../../contract/limits.ts'
import { OPERATION_IDS } from '../../contract/routes.ts'
import { defineCheck, remember } from '../check.ts'
import { resourceOf } from '../reviewed-request.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'

interface Wait {
  request: NamedRequest
  key: string
  /** End of the wait, by the rate clock in epoch milliseconds. The wait starts when the request arrives. */
  untilMs: number
  changes: number
}

/**
 * Tolerance for a date in a Retry-After: the date has whole seconds, and the client compares it with the clock of its
 * own machine.
 */
const DATE_TOLERANCE_MS = 1000

export const retryAfter = defineCheck({
  id: 'retry-after',
  category: 'retries',
  severity: 'error',
  section: '8',
  finds:
    'repeated a request before its `Retry-After` had passed, also by HEAD, with a slash or with a parameter that changes nothing; before a date, a warning',
  instead: 'Wait as many seconds as Retry-After says, or until its date, before the next attempt.',
  exercise:
    'Add a fault that answers a 429 with `retry_after`, and let the client request that URL again.',
  sees: OPERATION_IDS,
  start: () => new Map<string, Wait>(),
  read: (request, report, waits) => {
    const { before, isUnderWay, changes, sequence, waitedMs, rateMs } = request
    noteWait(waits, request, (wait) =>
      report.fail(
        () =>
          `Request ${sequence} repeats request ${wait.request.sequence} in another form before its wait was over.`,
        () => [wait.request, request.toNamed()],
        { waitedMs: request.rateMs - wait.request.rateMs },
      ),
    )
    if (!before || isUnderWay || before.changes !== changes) return
    const { retryAfterMs: waitMs, retryDateMs: dateMs } = before
    if (waitMs === null && dateMs === null) return
    report.meet()
    const requests = () => [request.toNamedBefore(), request.toNamed()]
    const waited = { waitedMs: Math.max(0, waitedMs) }
    if (waitMs !== null && waitedMs + WAIT_TOLERANCE_MS < waitMs)
      report.fail(
        () =>
          `Request ${sequence} repeats request ${before.sequence} after ${toSeconds(waitedMs)}; its response asked for ${toSeconds(waitMs)}.`,
        requests,
        waited,
      )
    else if (dateMs !== null && rateMs + DATE_TOLERANCE_MS < dateMs)
      report.fail(
        () =>
          `Request ${sequence} repeats request ${before.sequence} ${toSeconds(dateMs - rateMs)} before the date in the Retry-After of its response.`,
        requests,
        // Not an error, because section 8 of the specification mentions no dates, and the clocks of two machines may differ.
        { ...waited, severity: 'warning' },
      )
  },
})

/**
 * Records a GET that is told to wait. Calls `fail` if the same caller requests the same resource with a different URL or
 * method before the wait is over.
 */
function noteWait(
  waits: Map<string, Wait>,
  request: Readonly<ReviewedRequest>,
  fail: (wait: Wait) => void,
): void {
  const { sender, head, key, status, retryAfterMs, rateMs, changes } = request
  // The check `token-told-to-wait` covers waits for the rate limit of a token.
  const isTold = retryAfterMs !== null && head.exhausted.length === 0 && sender.method === 'GET'
  if (waits.size === 0 && !isTold) return
  const resource = `${request.caller} ${resourceOf(request)}`
  const wait = waits.get(resource)
  if (wait && wait.key !== key && status !== 401 && wait.changes === changes) {
    if (rateMs + WAIT_TOLERANCE_MS < wait.untilMs) fail(wait)
    waits.delete(resource)
  }
  if (isTold)
    remember(waits, resource, {
      request: request.toNamed(),
      key,
      untilMs: rateMs + retryAfterMs,
      changes,
    })
  else if (wait?.key === key) waits.delete(resource)
}

function toSeconds(ms: number): string {
  return `${Math.max(0, ms) / 1000} s`
}
