import { OPERATION_IDS } from '../../contract/endpoint.ts'
import { MINUTE_MS } from '../../contract/moments.ts'
import { ROUTES } from '../../contract/routes.ts'
import { toRefreshInterval } from '../../engine/stale-view.ts'
import { defineCheck } from '../check.ts'

export const repeatedRead = defineCheck({
  id: 'repeated-read',
  category: 'requests',
  severity: 'warning',
  section: '2.1',
  finds: 'The same URL was read again within one `cache_refreshed_at`, with nothing changed',
  instead:
    'Keep what was read until `cache_refreshed_at` has passed: until then the response is the same.',
  exercise: 'Let the client run twice, so that it reads a URL of a list or report again.',
  sees: OPERATION_IDS.filter((id) => ROUTES[id].isRefreshed),
  read: (request, report) => {
    const { isRead, before, isUnderWay, sequence } = request
    if (!before || !isRead || before.status !== 200 || before.isFailure || isUnderWay) return
    const { operation, shown } = request
    // Polling it is a mistake of its own.
    const isPolled = operation === 'getLatestReport' && shown?.reports?.[0]?.status !== 'completed'
    if (isPolled) return
    report.meet()
    const isSame =
      before.changes === request.changes &&
      before.bodyBytes === request.bodyBytes &&
      toRefreshInterval(before.worldMs) === toRefreshInterval(request.worldMs) &&
      // A frozen world clock does not make a patient client impatient.
      request.rateMs - before.rateMs < MINUTE_MS
    if (!isSame) return
    report.fail(
      () =>
        `Request ${sequence} reads the same as request ${before.sequence}, ${(request.rateMs - before.rateMs) / 1000} s after it.`,
      () => [request.toNamedBefore(), request.toNamed()],
    )
  },
})
