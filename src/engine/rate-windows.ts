import { lowerBound } from '../contract/lists.ts'
import { HOUR_MS, MINUTE_MS } from '../contract/time.ts'
import type { PolicyValue } from '../contract/policies.ts'

/** Requests of one age that a window has counted, for a snapshot. */
export interface CountedRequests {
  /** Milliseconds since the requests were counted or, for fixed and clock-aligned windows, since the window opened. */
  age_ms: number
  /** Number of requests. For a bucket, the amount used as of its last request, possibly a fraction. */
  requests: number
}

/** One window of one token. Times are epoch milliseconds on the rate clock. */
export interface RateWindow {
  /** Returns the number of requests that count against the limit now. */
  used: (nowMs: number, limit: number) => number
  count: (nowMs: number, limit: number, requests: number) => void
  /** Returns the time at which an exhausted window next admits a request. */
  resetsAtMs: (nowMs: number, limit: number) => number
  /** Returns the time at which the last counted request stops counting against the limit; `nowMs` if none counts. */
  refilledAtMs: (nowMs: number, limit: number) => number
  /**
   * Returns the requests that count now, oldest first; empty if there are none. A bucket returns the amount used as of its last
   * request, even if it has refilled since.
   */
  save: (nowMs: number) => CountedRequests[]
  /**
   * Continues from saved requests as if no time had passed since they were saved: an open window keeps its remaining time. Requests
   * of another kind of window are converted as closely as possible.
   */
  resume: (nowMs: number, saved: readonly CountedRequests[]) => void
}

export const WINDOW_MS = { minute: MINUTE_MS, hour: HOUR_MS } as const
export type WindowName = keyof typeof WINDOW_MS

/** Returns a window that stays open for `lengthMs`. `startOf` computes the start of a window from the time of its first request. */
function runningWindow(lengthMs: number, startOf: (nowMs: number) => number): RateWindow {
  let startMs = 0
  let counted = 0
  const isOpen = (nowMs: number) => counted > 0 && nowMs >= startMs && nowMs < startMs + lengthMs
  return {
    used: (nowMs) => (isOpen(nowMs) ? counted : 0),
    count: (nowMs, _limit, requests) => {
      if (!isOpen(nowMs)) {
        startMs = startOf(nowMs)
        counted = 0
      }
      counted += requests
    },
    resetsAtMs: (nowMs) => (isOpen(nowMs) ? startMs : startOf(nowMs)) + lengthMs,
    refilledAtMs: (nowMs) => (isOpen(nowMs) ? startMs + lengthMs : nowMs),
    save: (nowMs) => (isOpen(nowMs) ? [{ age_ms: nowMs - startMs, requests: counted }] : []),
    resume: (nowMs, saved) => {
      startMs = nowMs - Math.max(0, ...saved.map(({ age_ms }) => age_ms))
      counted = sum(saved)
    },
  }
}

function slidingWindow(lengthMs: number): RateWindow {
  /** Times of requests, ascending, each with the total number of requests up to and including that time. */
  let counted: { ms: number; total: number }[] = []
  const countUntil = (ms: number) =>
    lowerBound(counted.length, (index) => (counted[index]?.ms ?? 0) > ms)
  const totalOf = (entries: number) => counted[entries - 1]?.total ?? 0
  const used = (nowMs: number) => totalOf(countUntil(nowMs)) - totalOf(countUntil(nowMs - lengthMs))
  return {
    used,
    count: (nowMs, _limit, requests) => {
      // Entries after `nowMs` remain from before the clock was set back.
      const until = countUntil(nowMs)
      if (until < counted.length) counted.length = until
      const total = totalOf(until) + requests
      const last = counted.at(-1)
      if (last?.ms === nowMs) last.total = total
      else counted.push({ ms: nowMs, total })
      // Expired entries are removed only when they are the majority, because each removal moves all other entries.
      const expired = countUntil(nowMs - lengthMs)
      if (expired > counted.length / 2) counted.splice(0, expired - 1)
    },
    resetsAtMs: (nowMs, limit) => {
      const [from, until] = [countUntil(nowMs - lengthMs), countUntil(nowMs)]
      const full = totalOf(until) - limit
      // `last` is the entry whose expiry brings the count below the limit.
      const last = from + lowerBound(until - from, (index) => totalOf(from + index + 1) > full)
      return (last < until ? (counted[last]?.ms ?? nowMs) : nowMs) + lengthMs
    },
    refilledAtMs: (nowMs) => {
      const last = counted[countUntil(nowMs) - 1]
      return Math.max(nowMs, (last?.ms ?? -Infinity) + lengthMs)
    },
    save: (nowMs) => {
      const from = countUntil(nowMs - lengthMs)
      return counted.slice(from, countUntil(nowMs)).map(({ ms, total }, index) => ({
        age_ms: nowMs - ms,
        requests: total - totalOf(from + index),
      }))
    },
    resume: (nowMs, saved) => {
      let total = 0
      counted = saved.map(({ age_ms, requests }) => ({
        ms: nowMs - age_ms,
        total: (total += requests),
      }))
    },
  }
}

/** Returns a bucket whose capacity is the limit. An empty bucket refills evenly within `lengthMs`. */
function bucketWindow(lengthMs: number): RateWindow {
  let spent = 0
  let atMs = 0
  const owed = (nowMs: number, limit: number) =>
    nowMs < atMs ? 0 : Math.max(0, spent - ((nowMs - atMs) * limit) / lengthMs)
  return {
    used: (nowMs, limit) => roundUp(owed(nowMs, limit)),
    count: (nowMs, limit, requests) => {
      spent = owed(nowMs, limit) + requests
      atMs = nowMs
    },
    resetsAtMs: (nowMs, limit) =>
      nowMs + roundUp(((owed(nowMs, limit) - (limit - 1)) * lengthMs) / limit),
    refilledAtMs: (nowMs, limit) => nowMs + roundUp((owed(nowMs, limit) * lengthMs) / limit),
    // `owed` depends on the limit, which may change; `spent` and its age do not, so they are saved.
    save: (nowMs) => (spent > 0 ? [{ age_ms: nowMs - atMs, requests: spent }] : []),
    resume: (nowMs, saved) => {
      spent = sum(saved)
      atMs = nowMs - (saved.at(-1)?.age_ms ?? 0)
    },
  }
}

/** Tolerance for rounding: far less than a bucket refills in a millisecond, but far more than the error of the calculation. */
const ROUNDING_ERROR = 1e-9

/** Rounds up to an integer, unless the excess is only a rounding error. */
function roundUp(figure: number): number {
  return Math.ceil(figure - ROUNDING_ERROR)
}

function sum(entries: readonly { requests: number }[]): number {
  return entries.reduce((total, { requests }) => total + requests, 0)
}

/** Returns an empty window of the kind that the policy `rate-window` selects (G-019). */
export function createRateWindow(
  algorithm: PolicyValue<'rate-window'>,
  lengthMs: number,
): RateWindow {
  switch (algorithm) {
    case 'fixed':
      return runningWindow(lengthMs, (nowMs) => nowMs)
    case 'clock-aligned':
      return runningWindow(lengthMs, (nowMs) => Math.floor(nowMs / lengthMs) * lengthMs)
    case 'sliding':
      return slidingWindow(lengthMs)
    case 'bucket':
      return bucketWindow(lengthMs)
  }
}
