import { isFirst, parallelOf } from './arrivals.ts'
import { remember } from './check.ts'
import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

/** A caller was told that no other request would help either, and the requests that it has sent all the same. */
export interface Refusal {
  /** The request that was told so. */
  request: NamedRequest
  /** How long that holds, by the rate clock in epoch milliseconds. */
  fromMs: number
  untilMs: number
  changes: number
  /** How many connections the caller had in use at the same time. */
  parallel: number
  /** Whether nothing is known of what the caller did before. */
  isFirst: boolean
  /** The newest connection by then. */
  newest: number
  /** The connections that were told so, each with the requests that it has carried since. */
  told: Map<number, number>
  requests: NamedRequest[]
  count: number
  isFound: boolean
}

const SHOWN_REQUESTS = 9
/** So many on a connection that was told so are no mistake of a pool, and so many on others none of a few processes. */
const MANY_ON_ONE = 3
const MANY = 5
/** Each of those that ran in parallel may have sent one before it was told so. */
const TIMES = 2

export function startRefusal(request: Readonly<ReviewedRequest>, forMs: number): Refusal {
  const { rateMs, changes, connection, arrivals } = request
  return {
    request: request.toNamed(),
    fromMs: rateMs,
    untilMs: rateMs + forMs,
    changes,
    parallel: parallelOf(arrivals, request),
    isFirst: isFirst(arrivals, request),
    newest: arrivals.newest,
    told: new Map(connection === undefined ? [] : [[connection, 0]]),
    requests: [],
    count: 0,
    isFound: false,
  }
}

/** Whether it holds no longer. */
export function isOver(refusal: Refusal, { rateMs, changes }: Readonly<ReviewedRequest>): boolean {
  const { fromMs, untilMs } = refusal
  return changes !== refusal.changes || rateMs < fromMs || rateMs >= untilMs
}

/** Takes in another request that was refused; whether its caller is now known to go on in spite of it. */
export function goesOn(refusal: Refusal, request: Readonly<ReviewedRequest>): boolean {
  if (refusal.isFound) return false
  const { connection } = request
  const before = connection === undefined ? undefined : refusal.told.get(connection)
  const onThis = before === undefined ? 0 : before + 1
  if (connection !== undefined) {
    remember(refusal.told, connection, onThis)
    // One of several workers, which learns it only now.
    if (before === undefined && connection <= refusal.newest) return false
  }
  refusal.count += 1
  if (refusal.requests.length < SHOWN_REQUESTS) refusal.requests.push(request.toNamed())
  if (!isMany(refusal, onThis)) return false
  // Workers that begin at the same time are known to be several only now, as are connections that have opened since.
  if (refusal.isFirst || connection !== undefined) {
    refusal.parallel = Math.max(refusal.parallel, parallelOf(request.arrivals, request))
  }
  refusal.isFound = isMany(refusal, onThis)
  return refusal.isFound
}

function isMany({ count, parallel }: Refusal, onThis: number): boolean {
  const isOneOfThem = onThis >= Math.max(MANY_ON_ONE, parallel)
  return isOneOfThem || (count >= MANY && count > TIMES * parallel)
}
