import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

/** A refusal that holds for all requests of a caller, and the requests sent in spite of it. */
export interface StandingRefusal {
  request: NamedRequest
  /** Start of the refusal, by the rate clock in epoch milliseconds. */
  fromMs: number
  /** End of the refusal, exclusive, by the rate clock in epoch milliseconds. */
  untilMs: number
  changes: number
  /** The first refused requests after `request`. */
  requests: NamedRequest[]
  /** Number of refused requests, including `request`. */
  count: number
  /**
   * True if the number of refused requests proves that the caller ignores the refusal. Carried over to later refusals
   * until the world changes, so that the mistake is reported only once.
   */
  isFound: boolean
}

const SHOWN_REQUESTS = 9
/**
 * Number of refused requests that are tolerated, including the first: other processes may use the same token, and a
 * client may send requests before the refusal arrives.
 */
const TOLERATED = 10
/**
 * Replaces `TOLERATED` if the number of connections is unknown: in process, in MSW, behind a proxy, over HTTP/2, and
 * with a store.
 */
const TOLERATED_UNKNOWN = 30

/** Starts a refusal of `forMs` milliseconds. `before` is the previous refusal of the caller. */
export function startRefusal(
  request: Readonly<ReviewedRequest>,
  forMs: number,
  before: StandingRefusal | undefined,
): StandingRefusal {
  const { rateMs, changes } = request
  return {
    request: request.toNamed(),
    fromMs: rateMs,
    untilMs: rateMs + forMs,
    changes,
    requests: [],
    count: 1,
    isFound: before?.changes === changes && before.isFound,
  }
}

/**
 * True if the refusal does not apply to a request: it arrived outside the period, or a command has changed the world
 * since.
 */
export function isOver(
  refusal: StandingRefusal,
  { rateMs, changes }: Readonly<ReviewedRequest>,
): boolean {
  const { fromMs, untilMs } = refusal
  return changes !== refusal.changes || rateMs < fromMs || rateMs >= untilMs
}

/**
 * Records a refused request. Returns true for the first one that proves that the caller ignores the refusal, and false
 * for all others.
 */
export function recordRefused(
  refusal: StandingRefusal,
  request: Readonly<ReviewedRequest>,
): boolean {
  if (refusal.isFound) return false
  refusal.count += 1
  if (refusal.requests.length < SHOWN_REQUESTS) refusal.requests.push(request.toNamed())
  const { overlap = TOLERATED_UNKNOWN } = request
  // On each open connection, a request may have been sent before the client learned of the refusal.
  refusal.isFound = refusal.count > Math.max(TOLERATED, overlap)
  return refusal.isFound
}
