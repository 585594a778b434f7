import { OPERATION_IDS, toEndpoint, ROUTES } from '../../contract/routes.ts'
import type { OperationId } from '../../contract/routes.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { defineCheck, remember } from '../check.ts'
import { listSequences } from '../reviewed-request.ts'
import type { NamedRequest } from '../reviewed-request.ts'

/** The attempts for a URL that answers with a 404. */
interface Attempts {
  requests: NamedRequest[]
  /** When the last one arrived, by the rate clock in epoch milliseconds. */
  lastMs: number
  /** How many commands had changed the world by then: after another one, the record may be there. */
  changes: number
}

/** This many attempts, each within a minute of the one before, are a loop. */
const MANY = 5

/** A project may get its first report, which a client may wait for. */
const AWAITED: readonly OperationId[] = ['getLatestReport', 'getLastGeneratedReport']

/** The endpoints whose path names what may not exist. */
export const OF_ONE_RECORD = OPERATION_IDS.filter(
  (id) => ROUTES[id].path.includes('{') && !AWAITED.includes(id),
)

export const retryMissing = defineCheck({
  id: 'retry-missing',
  category: 'retries',
  severity: 'warning',
  section: '7',
  finds: 'The same URL was requested five times or more within a minute of a 404 for it',
  instead:
    'Take a 404 as the answer: read the list again to learn which ids and numbers there are.',
  exercise: 'Let the client read a single record, or the content of a report.',
  sees: OF_ONE_RECORD,
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
    if (requests.length === MANY) return
    requests.push(request.toNamed())
    if (requests.length < MANY) return
    report.fail(
      () =>
        `Requests ${listSequences(requests)} ask for the same thing from ${toEndpoint(operation!)}, which does not exist.`,
      () => requests,
    )
  },
})
