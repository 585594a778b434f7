import { OPERATION_IDS, toEndpoint, ROUTES } from '../../contract/routes.ts'
import type { OperationId } from '../../contract/routes.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { defineCheck, remember } from '../check.ts'
import { listSequences } from '../reviewed-request.ts'
import type { NamedRequest } from '../reviewed-request.ts'

interface Attempts {
  requests: NamedRequest[]
  /** Arrival of the last attempt, by the rate clock in epoch milliseconds. */
  lastMs: number
  /**
   * Number of commands before the last attempt, except those that only move the clock. After another command, the
   * record may exist.
   */
  changes: number
}

/** Minimum number of attempts, each within a minute of the previous one, that is a mistake. */
const MINIMUM_ATTEMPTS = 5

/** Endpoints that a client may retry after a 404, because the project may get its first report. */
const AWAITED: readonly OperationId[] = ['getLatestReport', 'getLastGeneratedReport']

/** Endpoints with a parameter in their path, except those in `AWAITED`. */
export const SINGLE_RECORD_ENDPOINTS = OPERATION_IDS.filter(
  (id) => ROUTES[id].path.includes('{') && !AWAITED.includes(id),
)

export const retryMissing = defineCheck({
  id: 'retry-missing',
  category: 'retries',
  severity: 'warning',
  section: '7',
  finds:
    'requested a URL that gives a 404 five times or more, each within a minute of the one before',
  instead:
    'Accept a 404 as the answer, and read the list again for the ids and numbers that exist.',
  exercise: 'Let the client read a single record, or the content of a report.',
  sees: SINGLE_RECORD_ENDPOINTS,
  start: () => new Map<string, Attempts>(),
  read: (request, report, open) => {
    const { operation, status, key, rateMs, changes } = request
    if (status === 200 || status === 404) report.meet()
    if (status !== 404) {
      if (open.size > 0) open.delete(key)
      return
    }
    const known = open.get(key)
    const isAgain = known?.changes === changes && rateMs - known.lastMs <= MINUTE_MS
    const requests = isAgain ? known.requests : []
    remember(open, key, { requests, lastMs: rateMs, changes })
    if (requests.length === MINIMUM_ATTEMPTS) return
    requests.push(request.toNamed())
    if (requests.length < MINIMUM_ATTEMPTS) return
    report.fail(
      () =>
        `Requests ${listSequences(requests)} ask ${toEndpoint(operation!)} for the same record, which does not exist.`,
      () => requests,
    )
  },
})
