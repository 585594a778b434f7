import { isFirst, parallelOf } from './recent-connections.ts'
import { remember } from './check.ts'
import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

/** A refusal that holds for every request of its caller, and the requests that the caller has sent all the same. */
export interface StandingRefusal {
  /** The request that was refused. */
  request: NamedRequest
  /** When the refusal holds, by the rate clock in epoch milliseconds. */
  fromMs: number
  untilMs: number
  changes: number
  /** How many connections the caller had in use at the same time. */
  parallel: number
  /** Whether nothing is known of what the caller did before. */
  isFirst: boolean
  /** The newest connection at that time. */
  newest: number
  /** The connections that have carried such a refusal, each with the number of requests since. */
  told: Map<number, number>
  requests: NamedRequest[]
  count: number
  isFound: boolean
}

const SHOWN_REQUESTS = 9
/** Fewer than this on a connection that has carried the refusal may come from a pool. */
const MANY_ON_ONE = 3
/** Fewer than this on other connections may come from a few processes. */
const MANY = 5
/** Each of those that ran in parallel may have sent one before it was refused. */
const TIMES = 2

export function startRefusal(request: Readonly<ReviewedRequest>, forMs: number): StandingRefusal {
  const { rateMs, changes, connection, recentConnections } = request
  return {
    request: request.toNamed(),
    fromMs: rateMs,
    untilMs: rateMs + forMs,
    changes,
    parallel: parallelOf(recentConnections, request),
    isFirst: isFirst(recentConnections, request),
    newest: recentConnections.newest,
    told: new Map(connection === undefined ? [] : [[connection, 0]]),
    requests: [],
    count: 0,
    isFound: false,
  }
}

/** Whether it no longer holds. */
export function isOver(
  refusal: StandingRefusal,
  { rateMs, changes }: Readonly<ReviewedRequest>,
): boolean {
  const { fromMs, untilMs } = refusal
  return changes !== refusal.changes || rateMs < fromMs || rateMs >= untilMs
}

/** Notes another request that was refused; returns whether its caller is now known to go on in spite of it. */
export function goesOn(refusal: StandingRefusal, request: Readonly<ReviewedRequest>): boolean {
  if (refusal.isFound) return false
  const { connection } = request
  const before = connection === undefined ? undefined : refusal.told.get(connection)
  const onThis = before === undefined ? 0 : before + 1
  if (connection !== undefined) {
    remember(refusal.told, connection, onThis)
    // This is the first refusal on a connection of another worker.
    if (before === undefined && connection <= refusal.newest) return false
  }
  refusal.count += 1
  if (refusal.requests.length < SHOWN_REQUESTS) refusal.requests.push(request.toNamed())
  if (!isMany(refusal, onThis)) return false
  // Workers that began at the same time, or whose connections opened after the refusal, can be counted only now.
  if (refusal.isFirst || connection !== undefined) {
    refusal.parallel = Math.max(refusal.parallel, parallelOf(request.recentConnections, request))
  }
  refusal.isFound = isMany(refusal, onThis)
  return refusal.isFound
}

function isMany({ count, parallel }: StandingRefusal, onThis: number): boolean {
  const isOneOfThem = onThis >= Math.max(MANY_ON_ONE, parallel)
  return isOneOfThem || (count >= MANY && count > TIMES * parallel)
}
