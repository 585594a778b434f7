import { defineCheck, remember } from '../check.ts'
import type { RawFinding } from '../check.ts'
import type { NamedRequest, ReviewedRequest, LastRequest } from '../reviewed-request.ts'

interface State {
  /** Attempts that keep failing, by `ReviewedRequest.key`. */
  open: Map<string, Attempts>
  /** Sequence of the last request that got a 429, by caller. */
  told: Map<string, number>
}

interface Attempts {
  /** The first attempts, at most `SHOWN_REQUESTS`. */
  requests: NamedRequest[]
  count: number
  firstMs: number
  shortestMs: number
  longestMs: number
  missing: number
  /**
   * True if the end of a response was observed over a connection. A busy machine may then make pauses look longer than
   * the client intended.
   */
  isMeasured: boolean
  /** True if, between two attempts, a 429 for another URL told the caller to wait. */
  isTold: boolean
}

const SHOWN_REQUESTS = 10
const TIMER_TOLERANCE_MS = 10
/** Minimum gap that counts as a pause. A machine may take nearly this long between two immediate attempts. */
export const NO_PAUSE_MS = 50
const CONSTANT_SHARE = 0.05
const GROWTH_SHARE = 0.1
/** From this many attempts, the longest pause must be at least `MINIMUM_GROWTH` times the first. Doubling exceeds this. */
const GROWTH_ATTEMPTS = 6
const MINIMUM_GROWTH = 4
/** Replaces `MINIMUM_GROWTH` for attempts over a connection, where a busy machine may stretch a short first pause. */
const MINIMUM_GROWTH_MEASURED = 2

export const backoff = defineCheck({
  id: 'backoff',
  category: 'retries',
  severity: 'warning',
  section: '7',
  finds:
    'tried three times or more with hardly a pause, or with pauses that did not grow (over a connection, a notice)',
  instead:
    'Double the pause after each failed attempt, with some randomness, and give up after a few attempts.',
  exercise:
    'Add a fault that answers the first six requests with a 503 without `retry_after`, so that the client makes three attempts or more.',
  sees: 'errors',
  start: (): State => ({ open: new Map(), told: new Map() }),
  read: (request, report, { open, told }) => {
    const { before, key, isUnderWay, isForRest, caller } = request
    const toldAt = told.get(caller) ?? 0
    if (request.status === 429) remember(told, caller, request.sequence)
    if (isUnderWay || isForRest || !before) return
    const isTold = before.retryAfterMs !== null || before.retryDateMs !== null
    const isNext = request.isRetry && hasFailed(before) && !isTold
    if (isNext) {
      const known = open.get(key)
      const attempts =
        !known && isAutomaticRetry(before, request)
          ? startAt(request.toNamed())
          : next(known ?? startAt(request.toNamedBefore()), request)
      attempts.isTold ||= toldAt > before.sequence
      remember(open, key, attempts)
      if (attempts.count >= 3) report.meet()
      if (hasFailed(request)) return
    }
    const ended = open.get(key)
    if (!ended) return
    open.delete(key)
    const found = judge(ended)
    if (found)
      report.fail(
        () => found.message,
        () => found.requests,
        found,
      )
  },
  pending: ({ open }) => [...open.values()].flatMap((attempts) => judge(attempts) ?? []),
})

function hasFailed({ isFailure, status }: Pick<LastRequest, 'isFailure' | 'status'>): boolean {
  return isFailure || status === 429
}

/**
 * True for a retry that the HTTP library probably made by itself. Go's, for example, repeats a GET if the
 * connection was closed before the first byte of the response (RFC 9112, 9.3.1).
 */
function isAutomaticRetry(
  { status, responseEnd }: LastRequest,
  { waitedMs }: Readonly<ReviewedRequest>,
): boolean {
  const isReset = status === 0 && responseEnd?.isAborted !== true
  return isReset && waitedMs < NO_PAUSE_MS
}

function startAt(request: NamedRequest): Attempts {
  return {
    requests: [request],
    count: 1,
    firstMs: 0,
    shortestMs: 0,
    longestMs: 0,
    missing: 0,
    isMeasured: false,
    isTold: false,
  }
}

function next(
  { requests, count, firstMs, shortestMs, longestMs, missing, isMeasured, isTold }: Attempts,
  request: Readonly<ReviewedRequest>,
): Attempts {
  const { waitedMs: pauseMs, before } = request
  return {
    requests: requests.length < SHOWN_REQUESTS ? [...requests, request.toNamed()] : requests,
    count: count + 1,
    firstMs: count === 1 ? pauseMs : firstMs,
    shortestMs: count === 1 ? pauseMs : Math.min(shortestMs, pauseMs),
    longestMs: Math.max(longestMs, pauseMs),
    missing: missing + (pauseMs < NO_PAUSE_MS ? 1 : 0),
    isMeasured: isMeasured || before?.responseEnd !== undefined,
    isTold,
  }
}

function judge(attempts: Attempts): RawFinding | undefined {
  const { requests, count, firstMs, longestMs, missing, isMeasured, isTold } = attempts
  if (count < 3) return undefined
  // A busy machine may add a pause between two immediate attempts, but never removes a real one.
  const isHasty = missing >= 2 && missing * 2 > count - 1
  if (!isHasty && (isTold || !isFlat(attempts))) return undefined
  const pause =
    longestMs === firstMs ? `${firstMs} ms` : `${firstMs} ms and then at most ${longestMs} ms`
  return {
    requests,
    message: `${count} attempts for the same URL, from request ${requests[0]?.sequence} on, came with pauses of ${pause}.`,
    waitedMs: longestMs,
    ...(!isHasty && isMeasured && { severity: 'notice' as const }),
  }
}

/**
 * True if the pauses do not grow, within tolerances. Random pauses may be equal, or shorter than the previous one, so
 * the rule depends on their number:
 *
 * - Two are flat if they are equal.
 * - Three or more are flat if none exceeds the first.
 * - Five or more are also flat if the longest is less than `MINIMUM_GROWTH` times the first.
 */
function isFlat({ count, firstMs, shortestMs, longestMs, isMeasured }: Attempts): boolean {
  if (count === 3) {
    return longestMs - shortestMs <= TIMER_TOLERANCE_MS + longestMs * CONSTANT_SHARE
  }
  if (longestMs <= TIMER_TOLERANCE_MS + firstMs * (1 + GROWTH_SHARE)) return true
  return (
    count >= GROWTH_ATTEMPTS &&
    longestMs < firstMs * (isMeasured ? MINIMUM_GROWTH_MEASURED : MINIMUM_GROWTH)
  )
}
