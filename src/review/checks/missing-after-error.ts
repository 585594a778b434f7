import { OPERATION_IDS, toEndpoint } from '../../contract/routes.ts'
import { defineCheck, remember } from '../check.ts'
import { resourceOf } from '../reviewed-request.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'
import { hasWrongNumber } from './report-number-range.ts'

interface Missing {
  caller: string
  request: NamedRequest
  /** Value of `Asked.accepted` when the caller was told to wait; null after a failure. */
  accepted: number | null
  /** End of the wait, by the rate clock in epoch milliseconds. */
  untilMs: number
  /** The endpoint and its failure, as a phrase. */
  what: string
}

interface State {
  missing: Map<string, Missing>
  /** Requests that neither failed nor got a 408 or 429, by caller. Updated only while data is missing. */
  asked: Map<string, Asked>
}

interface Asked {
  accepted: number
  rateMs: number
  overlap: number | undefined
}

/** Statuses that ask a client to come back later. The client may then stop, but not go on with other requests. */
const RETRY_LATER: readonly number[] = [408, 429]

/**
 * Endpoints that show the state of a project's reports. Reading one of them makes up for a failed read of another for
 * the same project.
 */
export const PROGRESS_ENDPOINTS: readonly unknown[] = [
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
    'never read the data that a 5xx, a lost connection or a broken body had withheld; or, though it went on, that of a 408 or 429',
  instead:
    'Retry after a 408, a 429, a 5xx, a lost connection or a body that cannot be parsed; if that does not help, keep the old data and repeat the run.',
  exercise:
    'Add a fault that fails a request of the client, such as one of `status` 500; a 429 or 408 is no failure.',
  sees: OPERATION_IDS,
  start: (): State => ({ missing: new Map(), asked: new Map() }),
  read: (request, report, { missing, asked }) => {
    const { sender, operation, isFailure, status, caller, rateMs } = request
    const isLater = !isFailure && RETRY_LATER.includes(status)
    if (!isFailure && !isLater) {
      if (missing.size === 0) return
      noteAsked(asked, request)
    }
    if (sender.method !== 'GET' || operation === 'getMe' || hasWrongNumber(request)) return
    const key = keyOf(request)
    if (!isFailure && !isLater) {
      missing.delete(key)
      return
    }
    if (isFailure) report.meet()
    else if (!sender.token) return
    const accepted = isFailure ? null : (asked.get(caller)?.accepted ?? 0)
    const untilMs = rateMs + (request.retryAfterMs ?? 0)
    const known = missing.get(key)
    if (known && isLater) {
      // A failure stays recorded even if the client is told to wait for the same data later.
      if (known.accepted !== null) Object.assign(known, { accepted, untilMs })
      return
    }
    const what = `${toEndpoint(operation!)}, which ${describeFailure(status)}`
    remember(missing, key, { caller, request: request.toNamed(), accepted, untilMs, what })
  },
  mendedIn: 'session',
  pending: ({ missing, asked }) =>
    [...missing.values()]
      .filter(({ caller, accepted, untilMs }) => {
        if (accepted === null) return true
        const last = asked.get(caller)
        if (!last) return false
        // Requests that were sent before the client was told to wait may have been accepted afterwards.
        if (last.overlap === undefined) return last.accepted > accepted && last.rateMs >= untilMs
        return last.accepted - accepted >= Math.max(1, last.overlap)
      })
      .map(({ request, what }) => ({
        requests: [request],
        message: `Request ${request.sequence} asked for ${what}, and the client never read it afterwards.`,
      })),
})

function noteAsked(
  asked: State['asked'],
  { caller, rateMs, overlap }: Readonly<ReviewedRequest>,
): void {
  const accepted = (asked.get(caller)?.accepted ?? 0) + 1
  remember(asked, caller, { accepted, rateMs, overlap })
}

function keyOf(request: Readonly<ReviewedRequest>): string {
  const { operation, project, caller } = request
  return `${caller} ${PROGRESS_ENDPOINTS.includes(operation) ? project : resourceOf(request)}`
}

/** Describes the failure of a request, as a predicate. Status 0 means no response. */
export function describeFailure(status: number): string {
  if (status === 0) return 'got no response'
  return status >= 400 ? `failed with ${status}` : 'came with a broken body'
}
