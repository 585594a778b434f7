import { MINUTE_MS } from '../contract/time.ts'

/** The last requests of all callers, each list a ring of the same size. */
export interface RecentConnections {
  callers: string[]
  /** 0 where it is unknown. */
  connections: number[]
  /** How many connections were open, of all callers; 0 where it is unknown. */
  open: number[]
  /** By the rate clock in epoch milliseconds. */
  times: number[]
  next: number
  /** The highest connection number so far. */
  newest: number
}

/** What is kept of a request. */
interface ConnectionUse {
  readonly caller: string
  readonly connection: number | undefined
  readonly openConnections: number
  readonly rateMs: number
}

const KEPT = 128
/** The count where all the kept requests are the caller's own: there may have been many more. */
const VERY_MANY = 1_000_000
/** Workers that open a connection for each request rarely have theirs open at the same instant. */
const NEAR_MS = 250
/** At most this many connections count as parallel if they were only close together in time, and never open at once. */
const FEW = 8

export function startRecentConnections(): RecentConnections {
  return { callers: [], connections: [], open: [], times: [], next: 0, newest: 0 }
}

export function noteConnection(
  recent: RecentConnections,
  { caller, connection = 0, openConnections, rateMs }: ConnectionUse,
): void {
  const { next } = recent
  recent.callers[next] = caller
  recent.connections[next] = connection
  recent.open[next] = openConnections
  recent.times[next] = rateMs
  if (connection > recent.newest) recent.newest = connection
  recent.next = next + 1 === KEPT ? 0 : next + 1
}

/**
 * How many connections a caller had at the same time in the last minute: those that were open, or up to eight that were used
 * within 250 ms of each other, as by workers that open one for each request. A request whose connection is unknown counts as
 * having its own.
 */
export function parallelOf(
  recent: RecentConnections,
  { caller, connection, rateMs }: ConnectionUse,
): number {
  const spans = new Map<number, { firstMs: number; lastMs: number }>()
  let open = 0
  recent.times.forEach((ms, index) => {
    if (recent.callers[index] !== caller || rateMs - ms > MINUTE_MS) return
    open = Math.max(open, recent.open[index] ?? 0)
    const key = recent.connections[index] || -1 - index
    const { firstMs, lastMs } = spans.get(key) ?? { firstMs: ms, lastMs: ms }
    spans.set(key, { firstMs: Math.min(firstMs, ms), lastMs: Math.max(lastMs, ms) })
  })
  const all = [...spans.values()]
  const counts = all.map(
    ({ firstMs: ms }) =>
      all.filter(({ firstMs, lastMs }) => firstMs <= ms && ms <= lastMs + NEAR_MS).length,
  )
  const near = Math.max(...counts)
  if (connection !== undefined) return Math.max(open, Math.min(FEW, near))
  return near === KEPT ? VERY_MANY : near
}

/** Whether it is the first request of its caller in a minute. */
export function isFirst(recent: RecentConnections, { caller, rateMs }: ConnectionUse): boolean {
  const isOwn = (ms: number, index: number) =>
    recent.callers[index] === caller && rateMs - ms <= MINUTE_MS
  return recent.times.filter(isOwn).length === 1
}
