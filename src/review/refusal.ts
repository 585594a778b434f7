import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

/** A refusal that holds for every request of its caller, and the requests that the caller sent all the same. */
export interface StandingRefusal {
  request: NamedRequest
  /** The period in which the refusal holds, by the rate clock in epoch milliseconds. */
  fromMs: number
  untilMs: number
  changes: number
  /** The first requests refused after `request`. */
  requests: NamedRequest[]
  /** Number of refused requests, including the first. */
  count: number
  /** True once they prove that the caller goes on, which is one mistake until the world changes. */
  isFound: boolean
}

const SHOWN_REQUESTS = 9
/**
 * Refused requests that are tolerated: they may come from other processes that use the token, or be sent before the refusal
 * arrives.
 */
const MANY = 10
/** The same if nothing is known of the connections: in process, in MSW, with a store. */
const MANY_UNKNOWN = 30

/** Starts a refusal of some milliseconds; `before` is the last one of the caller. */
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

/** True if the refusal no longer holds. */
export function isOver(
  refusal: StandingRefusal,
  { rateMs, changes }: Readonly<ReviewedRequest>,
): boolean {
  const { fromMs, untilMs } = refusal
  return changes !== refusal.changes || rateMs < fromMs || rateMs >= untilMs
}

/**
 * Records another refused request. Returns true for the first one that proves that the caller goes on in spite of the refusal.
 */
export function goesOn(refusal: StandingRefusal, request: Readonly<ReviewedRequest>): boolean {
  if (refusal.isFound) return false
  refusal.count += 1
  if (refusal.requests.length < SHOWN_REQUESTS) refusal.requests.push(request.toNamed())
  const { overlap = MANY_UNKNOWN } = request
  // Each of the requests that ran at the same time may have been followed by one before the client knew.
  refusal.isFound = refusal.count > Math.max(MANY, overlap)
  return refusal.isFound
}
