import { DAY_MS } from '../../../wording/times.ts'

/** A time a number of days later, at the same time of the day. */
export function addDays(ms: number, days: number): number {
  return ms + days * DAY_MS
}

/** A time a number of calendar months later; the last day of a month that has no such day. */
export function addMonths(ms: number, months: number): number {
  const date = new Date(ms)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== day) date.setUTCDate(0)
  return date.getTime()
}

/** The beginning of a time's day. */
export function toMidnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}
