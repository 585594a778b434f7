import { WAIT_TOLERANCE_MS } from '../../contract/limits.ts'
import { defineCheck } from '../check.ts'

/** Tolerance for dates, in milliseconds: they are in whole seconds, and read by the clock of the client's machine. */
const DATE_TOLERANCE_MS = 1000

export const retryAfter = defineCheck({
  id: 'retry-after',
  category: 'retries',
  severity: 'error',
  section: '8',
  finds:
    'A URL was requested again before `Retry-After` had passed, counted from the last byte of that response; before a date in it, that is a warning',
  instead:
    'Wait for the seconds of Retry-After, however many, or until its date, before the next attempt.',
  exercise:
    'Add a fault that answers a 429 with `retry_after`, and let the client request that URL again.',
  sees: 'errors',
  read: (request, report) => {
    const { before, isUnderWay, changes, sequence, waitedMs, rateMs } = request
    if (!before || isUnderWay || before.changes !== changes) return
    const { retryAfterMs: waitMs, retryDateMs: dateMs } = before
    if (waitMs === null && dateMs === null) return
    report.meet()
    if (waitedMs + TOLERANCE_MS >= waitMs) return
    report.fail(
      () =>
        `Request ${sequence} repeats request ${before.sequence} after ${toSeconds(waitedMs)}; its response asked for ${toSeconds(waitMs)}.`,
      () => [request.toNamedBefore(), request.toNamed()],
      { waitedMs: Math.max(0, waitedMs) },
    )
  },
})

function toSeconds(ms: number): string {
  return `${Math.max(0, ms) / 1000} s`
}
