import { defineCheck } from '../check.ts'

/** How inaccurate timers and clocks may be. */
const TOLERANCE_MS = 100

export const retryAfter = defineCheck({
  id: 'retry-after',
  category: 'retries',
  severity: 'error',
  section: '8',
  finds:
    'A URL was requested again before `Retry-After` had passed, counted from the last byte of that response',
  instead: 'Wait for the seconds of Retry-After, however many, before the next attempt.',
  exercise:
    'Add a fault that answers a 429 with `retry_after`, and let the client request that URL again.',
  sees: 'errors',
  read: (request, report) => {
    const { before, isUnderWay, changes, sequence, waitedMs } = request
    const waitMs = before?.retryAfterMs ?? null
    if (!before || waitMs === null || isUnderWay || before.changes !== changes) return
    report.meet()
    if (waitedMs + TOLERANCE_MS >= waitMs) return
    report.fail(
      () =>
        `Request ${sequence} repeats request ${before.sequence} after ${toSeconds(waitedMs)}; its response asked for ${toSeconds(waitMs)}.`,
      () => [request.toNamedBefore(), request.toNamed()],
    )
  },
})

function toSeconds(ms: number): string {
  return `${Math.max(0, ms) / 1000} s`
}
