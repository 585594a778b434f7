import { countGrouped } from './count.ts'

// All times are shown in UTC, as in the API.
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' }
const MINUTE: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }

const days = format(DAY)
const daysOfYear = format({ day: 'numeric', month: 'short' })
const times = format(MINUTE)
const weekdays = format({ weekday: 'short', day: 'numeric', month: 'short' })
const months = format({ month: 'short', year: 'numeric' })
const longMonths = format({ month: 'long', year: 'numeric' })
const minutes = format({ ...DAY, ...MINUTE })
const moments = format({ day: 'numeric', month: 'short', ...MINUTE })
const seconds = format({ ...DAY, ...MINUTE, second: '2-digit' })

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC', hourCycle: 'h23' })
}

/** Formats a time, or a month such as `2026-11`: `Nov 2026`. */
export function toMonth(time: string | number): string {
  return months.format(new Date(time))
}

/** Formats a time: `November 2026`. */
export function toLongMonth(time: string | number): string {
  return longMonths.format(new Date(time))
}

/** Formats a time: `18 Nov 2026`. */
export function toDay(time: string | number): string {
  return days.format(new Date(time))
}

/** Formats a time: `18 Nov 2026 09:30`. */
export function toMinute(time: string | number): string {
  return minutes.format(new Date(time)).replace(',', '')
}

/** Formats a time close to the world clock: `18 Nov, 09:30`. */
export function toMoment(time: string | number): string {
  return moments.format(new Date(time))
}

/** Formats a time: `09:30`. */
export function toTime(time: string | number): string {
  return times.format(new Date(time))
}

/** Formats a time: `Wed 18 Nov`. */
export function toWeekday(time: string | number): string {
  return weekdays.format(new Date(time)).replace(',', '')
}

/** Formats a time: `Tue 1 Dec, 00:00` in the year of `fromMs`, `1 Dec 2028 00:00` in any other year. */
export function toWeekdayTime(time: string, fromMs: number): string {
  if (time.slice(0, 4) !== new Date(fromMs).toISOString().slice(0, 4)) return toMinute(time)
  return `${toWeekday(time)}, ${toTime(time)}`
}

/** Formats a time: `1 Dec`. */
export function toDayOfYear(time: string | number): string {
  return daysOfYear.format(new Date(time))
}

/** Formats a time: `18 Nov 2026 09:30:05`. */
export function toSecond(time: string | number): string {
  return seconds.format(new Date(time)).replace(',', '')
}

/** Same as in `contract/time.ts`, which the console does not load. */
export const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/** Formats a future time as briefly as possible: `09:30` on the same day, `1 Dec` within a year, `1 Dec 2028` later. */
export function toAhead(time: string, fromMs: number): string {
  if (toDay(time) === toDay(fromMs)) return times.format(new Date(time))
  return Date.parse(time) - fromMs < YEAR_MS ? toDayOfYear(time) : toDay(time)
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Formats a duration in its two largest units: `2 d 14 h`, `3 h 5 min`, `12 min`. From ten days on, only days are shown. */
export function toDistance(ms: number): string {
  const whole = Math.floor(ms / DAY_MS)
  const parts = [
    [whole, 'd'],
    [whole >= 10 ? 0 : Math.floor((ms % DAY_MS) / HOUR_MS), 'h'],
    [whole > 0 ? 0 : Math.floor((ms % HOUR_MS) / MINUTE_MS), 'min'],
  ] as const
  const written = parts
    .filter(([number]) => number > 0)
    .map(([number, unit]) => `${number} ${unit}`)
  return written.join(' ') || 'less than a minute'
}

/** Returns the number of days since the due date of a late report, at least 1. */
export function daysLate(due: string, nowMs: number): number {
  return Math.max(1, Math.floor((nowMs - Date.parse(due)) / DAY_MS))
}

/** Formats a day relative to a time: `13 days ago`, `today`, `in 2 days`. */
export function toDaysAway(day: string, fromMs: number): string {
  const away = Math.floor(Date.parse(day) / DAY_MS) - Math.floor(fromMs / DAY_MS)
  if (away === 0) return 'today'
  const distance = countGrouped(Math.abs(away), 'day')
  return away < 0 ? `${distance} ago` : `in ${distance}`
}
