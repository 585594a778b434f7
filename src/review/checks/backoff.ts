import { defineCheck, remember } from '../check.ts'
import type { NamedRequest, ReviewedRequest, LastRequest } from '../reviewed-request.ts'

/** The attempts for a URL that keeps failing. */
interface Attempts {
  /** The first few of them. */
  requests: NamedRequest[]
  count: number
  /** The pauses between them, in milliseconds. */
  firstMs: number
  shortestMs: number
  longestMs: number
}

const SHOWN_REQUESTS = 10
/** How inaccurate timers may be. */
const TOLERANCE_MS = 10
/** Anything shorter is not a pause: the machine needs as long between two attempts. */
const NO_PAUSE_MS = 50
const CONSTANT_SHARE = 0.05
const GROWTH_SHARE = 0.1
/** After this many attempts, doubling leads to a pause of more than four times the first. */
const MANY = 6
const MANY_FOLD = 4

export const backoff = defineCheck({
  id: 'backoff',
  category: 'retries',
  severity: 'warning',
  section: '7',
  finds:
    'Three or more attempts followed each other at a constant interval or with hardly a pause, four or more without a longer pause than the first, or six or more without one of four times the first, where no `Retry-After` said how long to wait',
  instead:
    'Double the pause after each failed attempt, with some randomness, and give up after a few.',
  exercise:
    'Add a fault that answers the first six requests with a 503 without `retry_after`, so that the client tries three times or more.',
  sees: 'errors',
  start: () => new Map<string, Attempts>(),
  read: (request, report, open) => {
    const { before, key, isUnderWay, isForRest } = request
    if (isUnderWay || isForRest || !before) return
    const isTold = before.retryAfterMs !== null || before.retryDateMs !== null
    const isNext = request.isRetry && hasFailed(before) && !isTold
    if (isNext) {
      const known = open.get(key)
      const attempts =
        !known && isAutomaticRetry(before, request)
          ? startAt(request.toNamed())
          : next(known ?? startAt(request.toNamedBefore()), request)
      remember(open, key, attempts)
      if (attempts.count >= 3) report.meet()
      if (hasFailed(request)) return
    }
    const ended = open.get(key)
    if (!ended) return
    open.delete(key)
    if (isFlat(ended))
      report.fail(
        () => describe(ended),
        () => ended.requests,
      )
  },
  pending: (open) =>
    [...open.values()]
      .filter(isFlat)
      .map((attempts) => ({ requests: attempts.requests, message: describe(attempts) })),
})

function hasFailed({ isFailure, status }: Pick<LastRequest, 'isFailure' | 'status'>): boolean {
  return isFailure || status === 429
}

/** HTTP clients such as Go's repeat a GET on their own if its connection was closed before the first byte (RFC 9112, 9.3.1). */
function isAutomaticRetry(
  { status, responseEnd }: LastRequest,
  { waitedMs }: Readonly<ReviewedRequest>,
): boolean {
  const isReset = status === 0 && responseEnd?.isAborted !== true
  return isReset && waitedMs < NO_PAUSE_MS
}

function startAt(request: NamedRequest): Attempts {
  return { requests: [request], count: 1, firstMs: 0, shortestMs: 0, longestMs: 0 }
}

function next(
  { requests, count, firstMs, shortestMs, longestMs }: Attempts,
  request: Readonly<ReviewedRequest>,
): Attempts {
  const { waitedMs: pauseMs } = request
  return {
    requests: requests.length < SHOWN_REQUESTS ? [...requests, request.toNamed()] : requests,
    count: count + 1,
    firstMs: count === 1 ? pauseMs : firstMs,
    shortestMs: count === 1 ? pauseMs : Math.min(shortestMs, pauseMs),
    longestMs: Math.max(longestMs, pauseMs),
  }
}

/**
 * Random pauses may happen to be equal, and one may be shorter than the last: two pauses are flat if they are constant, more if
 * none grew, and many if they did not go on growing.
 */
function isFlat({ count, firstMs, shortestMs, longestMs }: Attempts): boolean {
  if (count < 3) return false
  if (longestMs < NO_PAUSE_MS) return true
  if (count === 3) {
    return longestMs - shortestMs <= TOLERANCE_MS + longestMs * CONSTANT_SHARE
  }
  if (longestMs <= TOLERANCE_MS + firstMs * (1 + GROWTH_SHARE)) return true
  return count >= MANY && longestMs < firstMs * MANY_FOLD
}

function describe({ requests, count, firstMs, longestMs }: Attempts): string {
  const pause =
    longestMs === firstMs ? `${firstMs} ms` : `${firstMs} ms and then at most ${longestMs} ms`
  return `${count} attempts for the same URL, from request ${requests[0]?.sequence} on, came with pauses of ${pause}.`
}
