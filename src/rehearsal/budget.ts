import type { RateLimits } from '../contract/rate-limits.ts'
import type { WindowLimit } from '../contract/token.ts'
import type { Budget } from '../review/rehearsal.ts'
import type { EndedRun } from './ended-run.ts'

type RunSize = Pick<EndedRun, 'requests' | 'projects'>

/**
 * The number of projects that fit within rate limits, in proportion to the run with the most requests. Undefined if the runs say
 * nothing about growth: all of them sent the same number, the largest sent less than one for each project, or it had at most one
 * project.
 */
export function planBudget(runs: readonly RunSize[], limits: RateLimits): Budget | undefined {
  const [most] = runs.toSorted((one, other) => other.requests - one.requests)
  if (!most || runs.every(({ requests }) => requests === most.requests)) return undefined
  const { requests, projects } = most
  if (projects <= 1 || requests < projects) return undefined
  const fitsOf = (limit: WindowLimit) =>
    limit === 'unlimited' ? null : Math.floor((limit * projects) / requests)
  const { per_minute: perMinute, per_hour: perHour } = limits
  // A run of more than a minute's requests waits for the next minute anyway.
  const isOfAMinute = perMinute !== 'unlimited' && requests <= perMinute
  const fits = { per_hour: fitsOf(perHour), per_minute: isOfAMinute ? fitsOf(perMinute) : null }
  if (fits.per_hour === null && fits.per_minute === null) return undefined
  return { requests, projects, limits, fits }
}
