import { resolveMs } from '../../contract/time.ts'
import type { Random } from '../../records/random.ts'
import type { Schedule } from './schedule.ts'

/** The parts of a request that a schedule depends on. */
interface MatchedRequest {
  /** Its number among the requests that the fault targets, from 1. */
  count: number
  /** The world clock. */
  nowMs: number
  random: Random
}

export function isDue(schedule: Schedule, { count, nowMs, random }: MatchedRequest): boolean {
  const { first = Infinity, every = 1, nth = count, share = 1 } = schedule
  return (
    count <= first &&
    count % every === 0 &&
    count === nth &&
    random.chance(share) &&
    nowMs >= startOf(schedule) &&
    nowMs < endOf(schedule)
  )
}

/** Whether no later request can be due, unless the world clock is set back. */
export function isOver(
  schedule: Schedule,
  { count, nowMs }: Omit<MatchedRequest, 'random'>,
): boolean {
  const { first = Infinity, nth = Infinity } = schedule
  return count >= Math.min(first, nth) || nowMs >= endOf(schedule)
}

function startOf({ from }: Schedule): number {
  return from === undefined ? -Infinity : resolveMs(from, 0)
}

function endOf({ until }: Schedule): number {
  return until === undefined ? Infinity : resolveMs(until, 0)
}
