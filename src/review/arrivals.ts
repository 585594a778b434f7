import { MINUTE_MS } from '../contract/moments.ts'

/** The last requests of all callers, each list a ring of the same size. */
export interface Arrivals {
  callers: string[]
  /** 0 where it is unknown. */
  connections: number[]
  /** By the rate clock in epoch milliseconds. */
  times: number[]
  next: number
  /** The highest number of a connection. */
  newest: number
}

/** A request, as far as it is kept. */
interface Arrival {
  readonly caller: string
  readonly connection: number | undefined
  readonly rateMs: number
}

const KEPT = 128
/** Stands for more than are kept. */
const VERY_MANY = 1_000_000
/** Workers that open a connection for each request are seldom seen at the same instant, and on a busy machine even less. */
const TOGETHER_MS = 10
const NEAR_MS = 50
/** So many are taken for workers if they are only near each other. */
const FEW = 4

export function startArrivals(): Arrivals {
  return { callers: [], connections: [], times: [], next: 0, newest: 0 }
}

export function noteArrival(arrivals: Arrivals, { caller, connection = 0, rateMs }: Arrival): void {
  const { next } = arrivals
  arrivals.callers[next] = caller
  arrivals.connections[next] = connection
  arrivals.times[next] = rateMs
  if (connection > arrivals.newest) arrivals.newest = connection
  arrivals.next = next + 1 === KEPT ? 0 : next + 1
}

/**
 * How many connections of a caller were in use at the same time in the last minute, each from its first request until 10 ms
 * after its last one; up to four of them until 50 ms after it. A request whose connection is unknown counts as one of its own.
 */
export function parallelOf(arrivals: Arrivals, { caller, rateMs }: Arrival): number {
  const spans = new Map<number, { firstMs: number; lastMs: number }>()
  arrivals.times.forEach((ms, index) => {
    if (arrivals.callers[index] !== caller || rateMs - ms > MINUTE_MS) return
    const key = arrivals.connections[index] || -1 - index
    const { firstMs, lastMs } = spans.get(key) ?? { firstMs: ms, lastMs: ms }
    spans.set(key, { firstMs: Math.min(firstMs, ms), lastMs: Math.max(lastMs, ms) })
  })
  const all = [...spans.values()]
  const mostWithin = (apartMs: number) => {
    const counts = all.map(
      ({ firstMs: ms }) =>
        all.filter(({ firstMs, lastMs }) => firstMs <= ms && ms <= lastMs + apartMs).length,
    )
    return Math.max(...counts)
  }
  const most = mostWithin(TOGETHER_MS)
  return most === KEPT ? VERY_MANY : Math.max(most, Math.min(FEW, mostWithin(NEAR_MS)))
}

/** Whether it is the first request of its caller in a minute. */
export function isFirst(arrivals: Arrivals, { caller, rateMs }: Arrival): boolean {
  const isOwn = (ms: number, index: number) =>
    arrivals.callers[index] === caller && rateMs - ms <= MINUTE_MS
  return arrivals.times.filter(isOwn).length === 1
}
