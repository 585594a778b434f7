import { signal } from '@preact/signals'
import type { ClockState, RateGauge, RateLimitStatus } from '../api/types.ts'

/** Times of the world clock and the rate clock, in epoch milliseconds. */
export interface ShownClocks {
  worldMs: number
  rateMs: number
  isFrozen: boolean
}

/** The times shown on the page, rounded down to the second; null until the clocks have been read. */
export const clocks = signal<ShownClocks | null>(null)

/** The clocks as last read. `readAt` is on the scale of `performance.now()`. */
let latest: (ShownClocks & { readAt: number }) | undefined

export function takeClock({ now, frozen, rate_clock }: ClockState): void {
  latest = {
    worldMs: Date.parse(now),
    rateMs: Date.parse(rate_clock),
    isFrozen: frozen,
    readAt: performance.now(),
  }
  tick()
}

const SECOND_MS = 1000

/** Advances the shown clocks by the time since they were last read. A frozen world clock stays. */
export function tick(): void {
  if (!latest) return
  const { worldMs, rateMs, isFrozen, readAt } = latest
  const passed = performance.now() - readAt
  const next = {
    worldMs: toSecond(isFrozen ? worldMs : worldMs + passed),
    rateMs: toSecond(rateMs + passed),
    isFrozen,
  }
  const { value } = clocks
  const isSame =
    value?.worldMs === next.worldMs && value.rateMs === next.rateMs && value.isFrozen === isFrozen
  if (!isSame) clocks.value = next
}

function toSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS
}

/** The rate windows as last read. `readAt` is on the scale of `performance.now()`. */
export interface GaugeReading {
  status: RateLimitStatus
  readAt: number
}

interface GaugeNow {
  limit: number
  remaining: number
  /** Time until the window next admits a request, in milliseconds; null while it admits requests. */
  waitMs: number | null
}

/** Predicts the state of a window at `now`, on the scale of `performance.now()`, assuming no requests since the reading. */
export function gaugeAt(gauge: RateGauge, reading: GaugeReading, now: number): GaugeNow {
  const { limit, remaining, resets_at, refilled_at } = gauge
  const begun = Date.parse(reading.status.rate_clock)
  const at = begun + (now - reading.readAt)
  if (refilled_at !== null && at >= Date.parse(refilled_at)) {
    return { limit, remaining: limit, waitMs: null }
  }
  const waitMs = resets_at === null ? null : Date.parse(resets_at) - at
  if (reading.status.rate_window === 'bucket' && refilled_at !== null) {
    const share = (at - begun) / (Date.parse(refilled_at) - begun)
    const filled = remaining + Math.floor((limit - remaining) * share)
    return { limit, remaining: filled, waitMs: filled > 0 ? null : waitMs }
  }
  return { limit, remaining, waitMs: waitMs !== null && waitMs > 0 ? waitMs : null }
}

const SOON_MS = 1000
const LATER_MS = 10_000

/** Returns the age in milliseconds at which a reading is outdated even without requests; Infinity if no window refills. */
export function lifeOf({ status }: GaugeReading): number {
  const isSoon = status.tokens.some(
    ({ minute, hour }) => minute?.refilled_at != null || hour?.resets_at != null,
  )
  if (isSoon) return SOON_MS
  return status.tokens.some(({ hour }) => hour?.refilled_at != null) ? LATER_MS : Infinity
}
