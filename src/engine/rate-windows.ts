import { HOUR_MS, MINUTE_MS } from '../contract/moments.ts'
import type { PolicyValue } from '../contract/policies.ts'

/** Requests that a window has counted, as in snapshots. */
export interface CountedRequests {
  /** Milliseconds since they were counted or, for fixed and clock-aligned windows, since the window opened. */
  age_ms: number
  /** How many; for a bucket those not refilled at that time, which may be a fraction. */
  requests: number
}

/** One window of one token. Times are epoch milliseconds on the rate clock. */
export interface RateWindow {
  /** Requests that count against the limit now. */
  used: (nowMs: number, limit: number) => number
  /** Counts requests made now. */
  count: (nowMs: number, limit: number, requests: number) => void
  /** When an exhausted window next admits a request. */
  resetsAtMs: (nowMs: number, limit: number) => number
  /** Its state, oldest first; empty where nothing was counted. */
  save: (nowMs: number) => CountedRequests[]
  /**
   * Continues from a saved state, with the same ages as when it was saved: an open window keeps its remaining
   * time. The state of another kind of window is converted as closely as possible.
   */
  resume: (nowMs: number, saved: readonly CountedRequests[]) => void
}

export const WINDOW_MS = { minute: MINUTE_MS, hour: HOUR_MS } as const
export type WindowName = keyof typeof WINDOW_MS

/** A window of `lengthMs` that begins at `startOf` the first request that it counts. */
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
    save: (nowMs) => (isOpen(nowMs) ? [{ age_ms: nowMs - startMs, requests: counted }] : []),
    resume: (nowMs, saved) => {
      startMs = nowMs - Math.max(0, ...saved.map(({ age_ms }) => age_ms))
      counted = sum(saved)
    },
  }
}

/** Counts the requests of the last `lengthMs`. */
function slidingWindow(lengthMs: number): RateWindow {
  let counted: { ms: number; requests: number }[] = []
  const recent = (nowMs: number) => counted.filter(({ ms }) => ms > nowMs - lengthMs && ms <= nowMs)
  return {
    used: (nowMs) => sum(recent(nowMs)),
    count: (nowMs, _limit, requests) => {
      counted = [...recent(nowMs), { ms: nowMs, requests }]
    },
    resetsAtMs: (nowMs, limit) => {
      const entries = recent(nowMs)
      const last = entries.find((_, index) => sum(entries.slice(index + 1)) < limit)
      return (last?.ms ?? nowMs) + lengthMs
    },
    save: (nowMs) => recent(nowMs).map(({ ms, requests }) => ({ age_ms: nowMs - ms, requests })),
    resume: (nowMs, saved) => {
      counted = saved.map(({ age_ms, requests }) => ({ ms: nowMs - age_ms, requests }))
    },
  }
}

/** A bucket with the capacity of the limit, which refills evenly, all of it in `lengthMs`. */
function bucketWindow(lengthMs: number): RateWindow {
  let spent = 0
  let atMs = 0
  const owed = (nowMs: number, limit: number) =>
    nowMs < atMs ? 0 : Math.max(0, spent - ((nowMs - atMs) * limit) / lengthMs)
  return {
    used: (nowMs, limit) => Math.ceil(owed(nowMs, limit)),
    count: (nowMs, limit, requests) => {
      spent = owed(nowMs, limit) + requests
      atMs = nowMs
    },
    resetsAtMs: (nowMs, limit) =>
      nowMs + Math.ceil(((owed(nowMs, limit) - (limit - 1)) * lengthMs) / limit),
    // What is owed depends on the limit, which may change: so both figures are saved, not the result.
    save: (nowMs) => (spent > 0 ? [{ age_ms: nowMs - atMs, requests: spent }] : []),
    resume: (nowMs, saved) => {
      spent = sum(saved)
      atMs = nowMs - (saved.at(-1)?.age_ms ?? 0)
    },
  }
}

function sum(entries: readonly { requests: number }[]): number {
  return entries.reduce((total, { requests }) => total + requests, 0)
}

/** An empty window of the kind that policy selects (G-019). */
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
