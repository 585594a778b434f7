import { memoizeByObject } from '../contract/cache.ts'
import { toDateTime } from '../contract/time.ts'
import type { PolicyValue, ReadPolicy } from '../contract/policies.ts'
import { toRateLimits } from '../contract/limits.ts'
import type { RateLimits } from '../contract/limits.ts'
import type { TokenRecord, WindowLimit } from '../contract/token.ts'
import type { RateGauge } from '../contract/control-status.ts'
import { createRateWindow, WINDOW_MS } from './rate-windows.ts'
import type { CountedRequests, RateWindow, WindowName } from './rate-windows.ts'

/** The result of checking a request against the limits of its token. */
export interface Verdict {
  allowed: boolean
  /** Maximum number of requests per minute. */
  limit: WindowLimit
  /** Requests left in the minute; null if the minute is unlimited. */
  remaining: number | null
  /**
   * Time at which the window that the 429 names resets, in epoch milliseconds on the rate clock; null if the request is admitted.
   */
  resetMs: number | null
  /** Windows that reject the request; empty if it is admitted. */
  exhausted: readonly WindowName[]
}

type Windows = Record<WindowName, RateWindow>

/** Maximum number of requests per window; Infinity for an unlimited window. */
interface Limits extends Record<WindowName, number> {
  names: readonly WindowName[]
}

const NONE: readonly never[] = []
const MINUTE = ['minute'] as const
const HOUR = ['hour'] as const
const BOTH = ['minute', 'hour'] as const

const UNLIMITED: Verdict = {
  allowed: true,
  limit: 'unlimited',
  remaining: null,
  resetMs: null,
  exhausted: NONE,
}

export interface TokenWindows extends Record<WindowName, CountedRequests[]> {
  token: number
}

type LimitedToken = Pick<TokenRecord, 'rate_limit'>

/** Used in place of a missing token. It has the default limits. */
const NO_TOKEN: LimitedToken = { rate_limit: {} }

/** The minute and hour windows of every token (specification 8). Both are checked before either is counted. */
export class RateLimiter {
  readonly #windows = new Map<number, Windows>()
  readonly #limitsOf = memoizeByObject((token: LimitedToken) => toLimits(token, this.#defaults))
  readonly #nowMs: () => number
  readonly #defaults: RateLimits
  readonly #policy: ReadPolicy
  readonly #algorithm: PolicyValue<'rate-window'>

  /** `nowMs` reads the rate clock. `defaults` apply to each window for which a token has no limit of its own. */
  constructor(nowMs: () => number, defaults: RateLimits, policy: ReadPolicy) {
    this.#nowMs = nowMs
    this.#defaults = defaults
    this.#policy = policy
    this.#algorithm = this.#readAlgorithm()
  }

  /** Admits or rejects a request, and counts it as policy requires, in one step (trap T26). */
  take(token: TokenRecord): Verdict {
    const nowMs = this.#nowMs()
    const limits = this.#limitsOf(token)
    if (limits.names.length === 0) return UNLIMITED
    this.#readAlgorithm()
    const windows = this.#windowsOf(token)
    const exhausted = exhaustedOf(windows, limits, nowMs)
    for (const name of this.#windowsToCount(limits.names, exhausted)) {
      windows[name].count(nowMs, limits[name], 1)
    }
    const { limit, remaining } = this.#figures(windows, limits, nowMs, exhausted.includes('hour'))
    return {
      allowed: exhausted.length === 0,
      limit,
      remaining,
      resetMs: this.#resetMs(exhausted, windows, limits, nowMs),
      exhausted,
    }
  }

  /**
   * Returns the current limit and remaining requests of a token without counting a request; for undefined, the full default limits.
   * `allowed` is always true.
   */
  peek(token: TokenRecord | undefined): Verdict {
    const nowMs = this.#nowMs()
    const limits = this.#limitsOf(token ?? NO_TOKEN)
    const counted = token && this.#windows.get(token.id)
    if (counted && limits.minute !== Infinity) this.#readAlgorithm()
    const figures = this.#figures(counted ?? this.#createWindows(), limits, nowMs, false)
    return { allowed: true, ...figures, resetMs: null, exhausted: NONE }
  }

  /** Returns the usage of both windows of a token; null for an unlimited window. */
  gaugesOf(token: TokenRecord): Record<WindowName, RateGauge | null> {
    const nowMs = this.#nowMs()
    const limits = this.#limitsOf(token)
    const windows = this.#windows.get(token.id) ?? this.#createWindows()
    const gaugeOf = (name: WindowName): RateGauge | null =>
      limits[name] === Infinity ? null : toGauge(windows[name], limits[name], nowMs)
    return { minute: gaugeOf('minute'), hour: gaugeOf('hour') }
  }

  /** Uses up a window of a token, for `spent` in a fixture. Has no effect on an unlimited window. */
  spend(token: TokenRecord, name: WindowName): void {
    const limit = this.#limitsOf(token)[name]
    if (limit === Infinity) return
    this.#windowsOf(token)[name].count(this.#nowMs(), limit, limit)
  }

  clear(): void {
    this.#windows.clear()
  }

  /**
   * Returns the windows of all tokens that have counted requests. Expired windows are saved as empty; buckets are saved even when
   * they are full again.
   */
  save(): TokenWindows[] {
    const nowMs = this.#nowMs()
    return [...this.#windows].map(([token, { minute, hour }]) => ({
      token,
      minute: minute.save(nowMs),
      hour: hour.save(nowMs),
    }))
  }

  /** Continues from saved windows. Open windows keep the remaining time that they had when they were saved. */
  resume(saved: readonly TokenWindows[]): void {
    const nowMs = this.#nowMs()
    for (const { token, minute, hour } of saved) {
      const windows = this.#createWindows()
      windows.minute.resume(nowMs, minute)
      windows.hour.resume(nowMs, hour)
      this.#windows.set(token, windows)
    }
  }

  #windowsOf(token: TokenRecord): Windows {
    const windows = this.#windows.get(token.id) ?? this.#createWindows()
    this.#windows.set(token.id, windows)
    return windows
  }

  #createWindows(): Windows {
    return {
      minute: createRateWindow(this.#algorithm, WINDOW_MS.minute),
      hour: createRateWindow(this.#algorithm, WINDOW_MS.hour),
    }
  }

  /** Reads the policy `rate-window`. Must be called for each verdict that depends on it, so that its use is recorded. */
  #readAlgorithm(): PolicyValue<'rate-window'> {
    return this.#policy('rate-window')
  }

  #windowsToCount(
    limited: readonly WindowName[],
    exhausted: readonly WindowName[],
  ): readonly WindowName[] {
    if (exhausted.length === 0) return limited
    const rejected = this.#policy('rejected-requests')
    if (rejected === 'uncounted') return NONE
    if (rejected === 'counted') return limited
    return limited.filter((name) => !exhausted.includes(name))
  }

  /**
   * Returns the limit and the remaining requests of the minute, even if the hour rejects the request (specification 8, trap T11).
   */
  #figures(
    windows: Windows,
    limits: Record<WindowName, number>,
    nowMs: number,
    isHourExhausted: boolean,
  ): Pick<Verdict, 'limit' | 'remaining'> {
    if (limits.minute === Infinity) return { limit: 'unlimited', remaining: null }
    const used = windows.minute.used(nowMs, limits.minute)
    if (used === 0 && isHourExhausted && this.#policy('remaining-without-minute') === '0') {
      return { limit: limits.minute, remaining: 0 }
    }
    return { limit: limits.minute, remaining: Math.max(0, limits.minute - used) }
  }

  #resetMs(
    exhausted: readonly WindowName[],
    windows: Windows,
    limits: Record<WindowName, number>,
    nowMs: number,
  ): number | null {
    const resetOf = (name: WindowName): number => windows[name].resetsAtMs(nowMs, limits[name])
    const [first, second] = exhausted
    if (first === undefined) return null
    if (second === undefined) return resetOf(first)
    return this.#policy('both-exhausted') === 'later'
      ? Math.max(resetOf(first), resetOf(second))
      : resetOf(first)
  }
}

/** Returns the exhausted windows. Equal results are the same array, so that the journal can compare them by identity. */
function exhaustedOf(
  windows: Windows,
  limits: Record<WindowName, number>,
  nowMs: number,
): readonly WindowName[] {
  const isExhausted = (name: WindowName): boolean =>
    windows[name].used(nowMs, limits[name]) >= limits[name]
  if (isExhausted('minute')) return isExhausted('hour') ? BOTH : MINUTE
  return isExhausted('hour') ? HOUR : NONE
}

function toGauge(window: RateWindow, limit: number, nowMs: number): RateGauge {
  const remaining = Math.max(0, limit - window.used(nowMs, limit))
  const refilledMs = window.refilledAtMs(nowMs, limit)
  return {
    limit,
    remaining,
    resets_at: remaining === 0 ? toDateTime(window.resetsAtMs(nowMs, limit)) : null,
    refilled_at: refilledMs > nowMs ? toDateTime(refilledMs) : null,
  }
}

function toLimits({ rate_limit }: LimitedToken, defaults: RateLimits): Limits {
  const { per_minute, per_hour } = toRateLimits(rate_limit, defaults)
  const figures = { minute: toNumber(per_minute), hour: toNumber(per_hour) }
  const names = BOTH.filter((name) => figures[name] !== Infinity)
  return { ...figures, names }
}

function toNumber(limit: WindowLimit): number {
  return limit === 'unlimited' ? Infinity : limit
}
