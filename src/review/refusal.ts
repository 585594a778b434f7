import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

/** A refusal that holds for every request of its caller, and the requests that the caller has sent all the same. */
export interface StandingRefusal {
  /** The request that was refused. */
  request: NamedRequest
  /** When the refusal holds, by the rate clock in epoch milliseconds. */
  fromMs: number
  untilMs: number
  changes: number
  /** The first requests that were refused after it. */
  requests: NamedRequest[]
  /** How many were refused, itself among them. */
  count: number
}

const SHOWN_REQUESTS = 9
/** As many may be under way in other processes that use the token, or not know of the refusal yet. */
const MANY = 10
/** The same where nothing is known of the connections: in process, in MSW, with a store. */
const MANY_UNKNOWN = 30

export function startRefusal(request: Readonly<ReviewedRequest>, forMs: number): StandingRefusal {
  const { rateMs, changes } = request
  const untilMs = rateMs + forMs
  return { request: request.toNamed(), fromMs: rateMs, untilMs, changes, requests: [], count: 1 }
}

/** Whether it no longer holds. */
export function isOver(
  refusal: StandingRefusal,
  { rateMs, changes }: Readonly<ReviewedRequest>,
): boolean {
  const { fromMs, untilMs } = refusal
  return changes !== refusal.changes || rateMs < fromMs || rateMs >= untilMs
}

/** Notes another request that was refused; true for the one that shows that its caller goes on in spite of it. */
export function goesOn(refusal: StandingRefusal, request: Readonly<ReviewedRequest>): boolean {
  refusal.count += 1
  if (refusal.requests.length < SHOWN_REQUESTS) refusal.requests.push(request.toNamed())
  const { overlap = MANY_UNKNOWN } = request
  // Each of those that ran at the same time may have sent one before it knew.
  return refusal.count === Math.max(MANY, overlap) + 1
}
