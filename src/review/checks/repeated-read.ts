import { OPERATION_IDS, ROUTES } from '../../contract/routes.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { toRefreshInterval } from '../../engine/stale-view.ts'
import { defineCheck, remember } from '../check.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'

/** Repeated reads by a caller of data that hardly ever changes. */
interface Again {
  count: number
  requests: NamedRequest[]
}

interface State {
  all: number
  again: Map<string, Again>
}

/** Minimum number of reads of rarely changing data by one caller, counting the first, that is a mistake. */
const MINIMUM_REPEATS = 10
/** Repeated reads are a mistake only if they make up at least one in this many requests of all callers. */
const SHARE = 3

export const repeatedRead = defineCheck({
  id: 'repeated-read',
  category: 'requests',
  severity: 'warning',
  section: '2.1',
  finds:
    'read a URL again within a minute and one `cache_refreshed_at`, unchanged; or spent a third of all requests, and ten or more, on repeating `/me`, countries, languages or users',
  instead:
    'Keep a response until `cache_refreshed_at` has passed, since it stays the same until then, and keep data that hardly ever changes for a whole run.',
  exercise: 'Let the client run twice, so that it reads a URL of a list or report again.',
  sees: OPERATION_IDS,
  start: (): State => ({ all: 0, again: new Map() }),
  read: (request, report, state) => {
    state.all += 1
    const { isRead, before, isUnderWay, sequence } = request
    if (!before || !isRead || before.status !== 200 || before.isFailure || isUnderWay) return
    const { operation, shown } = request
    if (!ROUTES[operation!].isRefreshed) {
      if (request.isRetry) noteAgain(state.again, request)
      return
    }
    // The check `poll-latest` covers reads of an unfinished report.
    const isPolled = operation === 'getLatestReport' && shown?.reports?.[0]?.status !== 'completed'
    if (isPolled) return
    report.meet()
    const isSame =
      before.changes === request.changes &&
      before.bodyBytes === request.bodyBytes &&
      toRefreshInterval(before.worldMs) === toRefreshInterval(request.worldMs) &&
      // While the world clock is frozen, all reads are in the same interval, even if the client waits.
      request.rateMs - before.rateMs < MINUTE_MS
    if (!isSame) return
    report.fail(
      () =>
        `Request ${sequence} reads the same as request ${before.sequence}, ${(request.rateMs - before.rateMs) / 1000} s later.`,
      () => [request.toNamedBefore(), request.toNamed()],
    )
  },
  pending: ({ all, again }) =>
    [...again.values()]
      .filter(({ count }) => count >= MINIMUM_REPEATS && count * SHARE >= all)
      .map(({ count, requests }) => ({
        requests,
        message: `${count} of ${all} requests read data that hardly ever changes, from request ${requests[0]?.sequence} on.`,
      })),
})

function noteAgain(all: State['again'], request: Readonly<ReviewedRequest>): void {
  const again = all.get(request.caller) ?? { count: 1, requests: [request.toNamedBefore()] }
  again.count += 1
  if (again.requests.length < MINIMUM_REPEATS) again.requests.push(request.toNamed())
  remember(all, request.caller, again)
}
