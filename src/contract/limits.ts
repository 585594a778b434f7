import type { RateLimit, WindowLimit } from './token.ts'

/** Highest `report_number` of a project (specification 8). */
export const LAST_REPORT_NUMBER = 26

export const MAXIMUM_PER_PAGE = 100
export const DEFAULT_PER_PAGE = 100

/** Maximum number of upcoming changes in an explanation. */
export const MAXIMUM_CHANGES = 500
/** Number of upcoming changes in an explanation if the request states none. */
export const DEFAULT_CHANGES = 10

/** The limits in force for a token, in requests per window. */
export interface RateLimits {
  per_minute: WindowLimit
  per_hour: WindowLimit
}

/** Limits of a token that has no limits of its own (specification 8). */
export const DEFAULT_RATE_LIMITS: RateLimits = { per_minute: 60, per_hour: 1000 }

/** Fills in the windows that a rate limit omits, from `defaults`. */
export function toRateLimits(limit: RateLimit, defaults: RateLimits): RateLimits {
  if (limit === 'unlimited') return { per_minute: 'unlimited', per_hour: 'unlimited' }
  return {
    per_minute: limit.per_minute ?? defaults.per_minute,
    per_hour: limit.per_hour ?? defaults.per_hour,
  }
}

/** Time by which a request may precede the end of `Retry-After` without failing a check: timers and clocks are inexact. */
export const WAIT_TOLERANCE_MS = 100

/** Maximum number of projects in a generated world, to bound its memory. */
export const MAXIMUM_PROJECTS = 200_000
export const MAXIMUM_AGENCIES = 100
/** Maximum number of keywords per project in a generated world. */
export const MAXIMUM_KEYWORDS = 500
export const MAXIMUM_COMPANIES = 100

export const MEGABYTE = 2 ** 20

/** Added to the size of a record for each nested entry, so that numbers and empty lists are not free. */
const ENTRY_CHARACTERS = 20

/**
 * Returns the size of a record in characters: its strings, the keys of nested maps, and 20 for each entry of a nested list or
 * map.
 */
export function charactersOf(record: object): number {
  let sum = 0
  for (const value of Object.values(record)) sum += charactersIn(value)
  return sum
}

function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  if (Array.isArray(value)) {
    for (const item of value) sum += ENTRY_CHARACTERS + charactersIn(item)
  } else {
    for (const [key, part] of Object.entries(value))
      sum += ENTRY_CHARACTERS + key.length + charactersIn(part)
  }
  return sum
}

export const MAXIMUM_REHEARSAL_RUNS = 10_000
