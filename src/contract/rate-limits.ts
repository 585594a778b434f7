import type { RateLimit, WindowLimit } from './token.ts'

/** The limits in force for a token, both windows stated. */
export interface RateLimits {
  per_minute: WindowLimit
  per_hour: WindowLimit
}

/** Specification 8: the limits of a token that has none of its own. */
export const DEFAULT_RATE_LIMITS: RateLimits = { per_minute: 60, per_hour: 1000 }

/** A rate limit in full, with omitted windows from `defaults`. */
export function toRateLimits(limit: RateLimit, defaults: RateLimits): RateLimits {
  if (limit === 'unlimited') return { per_minute: 'unlimited', per_hour: 'unlimited' }
  return {
    per_minute: limit.per_minute ?? defaults.per_minute,
    per_hour: limit.per_hour ?? defaults.per_hour,
  }
}
