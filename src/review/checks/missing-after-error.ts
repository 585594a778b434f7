import { OPERATION_IDS, toEndpoint } from '../../contract/routes.ts'
import { defineCheck, remember } from '../check.ts'
import type { NamedRequest, ReviewedRequest } from '../reviewed-request.ts'
import { hasWrongNumber } from './report-number-range.ts'

interface Missing {
  caller: string
  request: NamedRequest
  /** How many requests of its caller had been accepted when it was last told to wait; null after a failure. */
  accepted: number | null
  /** Until when it was told to wait, by the rate clock in epoch milliseconds. */
  untilMs: number
  /** What was asked, and how it failed. */
  what: string
}

interface State {
  missing: Map<string, Missing>
  /** How many requests of a caller were accepted since one was missing, and the last of them. */
  asked: Map<string, Asked>
}

interface Asked {
  accepted: number
  rateMs: number
  overlap: number | undefined
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
    'What failed with a 5xx, a lost connection or a broken body was never read afterwards; or what got a 429 or 408 was not, though its token was used for something else afterwards',
  instead:
    'Retry a 408, a 429, a 5xx, a lost connection and a body that cannot be parsed, and keep the old data and repeat the run where that does not help.',
  exercise:
    'Add a fault that fails a request of the client, such as one of `status` 500; a 429 or 408 is no failure.',
  sees: OPERATION_IDS,
  start: (): State => ({ missing: new Map(), asked: new Map() }),
  read: (request, report, { missing, asked }) => {
    const { sender, operation, isFailure, status, caller, rateMs } = request
    const isLater = !isFailure && LATER.includes(status)
    if (!isFailure && !isLater) {
      if (missing.size === 0) return
      noteAsked(asked, request)
    }
    if (sender.method !== 'GET' || operation === 'getMe' || hasWrongNumber(request)) return
    const key = resourceOf(request)
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
      // After a failure it is missing even if the client was told to wait since.
      if (known.accepted !== null) Object.assign(known, { accepted, untilMs })
      return
    }
    const what = `${toEndpoint(operation!)}, which ${howFailed(status)}`
    remember(missing, key, { caller, request: request.toNamed(), accepted, untilMs, what })
  },
  mendedIn: 'session',
  pending: ({ missing, asked }) =>
    [...missing.values()]
      .filter(({ caller, accepted, untilMs }) => {
        if (accepted === null) return true
        const last = asked.get(caller)
        if (!last) return false
        // What ran at the same time may have ended after it was told to wait.
        if (last.overlap === undefined) return last.accepted > accepted && last.rateMs >= untilMs
        return last.accepted - accepted >= Math.max(1, last.overlap)
      })
      .map(({ request, what }) => ({
        requests: [request],
        message: `Request ${request.sequence} asked for ${what}, and the client never got it afterwards.`,
      })),
})

function noteAsked(
  asked: State['asked'],
  { caller, rateMs, overlap }: Readonly<ReviewedRequest>,
): void {
  const accepted = (asked.get(caller)?.accepted ?? 0) + 1
  remember(asked, caller, { accepted, rateMs, overlap })
}

function resourceOf(request: Readonly<ReviewedRequest>): string {
  const { operation, project, caller, key, path, query } = request
  if (PROGRESS.includes(operation)) return `${caller} ${project}`
  // A slash at its end makes no other path.
  return path.endsWith('/') ? `${caller} GET ${path.slice(0, -1)}?${query}` : key
}

/** How a request failed, as the end of a sentence. */
export function howFailed(status: number): string {
  if (status === 0) return 'got no response'
  return status >= 400 ? `failed with ${status}` : 'came with a broken body'
}
