import { MINUTE_MS } from '../../contract/time.ts'
import { defineCheck, remember } from '../check.ts'
import { recordRefused, isOver, startRefusal } from '../refusal.ts'
import type { StandingRefusal } from '../refusal.ts'
import { listSequences } from '../reviewed-request.ts'

export const retryUnauthorised = defineCheck({
  id: 'retry-unauthorised',
  category: 'retries',
  severity: 'error',
  section: '5',
  finds:
    'repeated a 401 or 403 within a minute, or got more than ten in a minute for different URLs',
  instead:
    'Stop at a 401 or 403 and tell a person: only another token, or a change of its status or addresses, helps.',
  exercise: "Disable the client's token for a while, so that a request gets a 401 or 403.",
  sees: 'errors',
  start: () => new Map<string, StandingRefusal>(),
  read: (request, report, refusals) => {
    const { status, before, isRetry, caller, sequence } = request
    if (isRefused(status)) report.meet()
    if (before && isRetry && isRefused(before.status)) {
      report.fail(
        () =>
          `Request ${sequence} repeats request ${before.sequence}, which was refused with ${before.status}.`,
        () => [request.toNamedBefore(), request.toNamed()],
      )
      return
    }
    if (!isRefused(status)) return
    const refusal = refusals.get(caller)
    if (!refusal || isOver(refusal, request)) {
      remember(refusals, caller, startRefusal(request, MINUTE_MS, refusal))
    } else if (recordRefused(refusal, request)) {
      report.fail(
        () =>
          `Requests ${listSequences(refusal.requests)} ask for other URLs after request ${refusal.request.sequence} was refused with ${status}.`,
        () => [refusal.request, ...refusal.requests],
      )
    }
  },
})

function isRefused(status: number): boolean {
  return status === 401 || status === 403
}
