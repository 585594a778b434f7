import { monthOf, startOf } from './month-scale.ts'

/** A moment that an axis names. */
export interface Tick {
  ms: number
  label: string
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const STEPS_MS = [
  ...[1, 5, 15].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7].map((days) => days * DAY_MS),
]

const STEPS_IN_MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 600, 1200, 12_000, 24_000]

const MOST_STEPS = 6

/** Round times from one time to another, in UTC, at most seven; further apart than a few weeks they begin months. */
export function ticksOf(fromMs: number, untilMs: number): Tick[] {
  const step = STEPS_MS.find((ms) => (untilMs - fromMs) / ms <= MOST_STEPS)
  if (step === undefined) return monthTicks(fromMs, untilMs)
  const ticks: Tick[] = []
  for (let ms = Math.ceil(fromMs / step) * step; ms <= untilMs; ms += step) {
    ticks.push({ ms, label: labelOf(ms, step) })
  }
  return ticks
}

function monthTicks(fromMs: number, untilMs: number): Tick[] {
  const [first, last] = [monthOf(fromMs), monthOf(untilMs)]
  const step = STEPS_IN_MONTHS.find((months) => (last - first) / months <= MOST_STEPS) ?? Infinity
  const ticks: Tick[] = []
  for (let month = Math.ceil((first + 1) / step) * step; month <= last; month += step) {
    const ms = startOf(month)
    ticks.push({ ms, label: new Date(ms).toISOString().replace(/-\d\dT.*/, '') })
  }
  return ticks
}

function labelOf(ms: number, step: number): string {
  const text = new Date(ms).toISOString()
  if (step >= DAY_MS) return text.replace(/T.*/, '')
  return step >= MINUTE_MS ? text.slice(-19, -8).replace('T', ' ') : text.slice(-13, -5)
}
