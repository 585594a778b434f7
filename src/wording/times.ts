import { countGrouped } from './count.ts'

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' }
const MINUTE: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }

function format(options: Intl.DateTimeFormatOptions): (time: string | number) => string {
  const formatter = new Intl.DateTimeFormat('en-GB', {
    ...options,
    // The API's times are in UTC, too.
    timeZone: 'UTC',
    hourCycle: 'h23',
  })
  // The locale abbreviates September to `Sept`, and the other months to three letters.
  return (time) => formatter.format(new Date(time)).replace(/Sept\b/, 'Sep')
}

const weekdays = format({ weekday: 'short', day: 'numeric', month: 'short' })
const minutes = format({ ...DAY, ...MINUTE })
const seconds = format({ ...DAY, ...MINUTE, second: '2-digit' })

/** Formats a time or a month like `2026-11`: `Nov 2026`. */
export const toMonth = format({ month: 'short', year: 'numeric' })

/** Formats a time: `November 2026`. */
export const toLongMonth = format({ month: 'long', year: 'numeric' })

/** Formats a time: `18 Nov 2026`. */
export const toDay = format(DAY)

/** Formats a time: `18 Nov 2026 09:30`. */
export function toMinute(time: string | number): string {
  return minutes(time).replace(',', '')
}

/** Formats a time without its year: `18 Nov, 09:30`. */
export const toMoment = format({ day: 'numeric', month: 'short', ...MINUTE })

/** Formats a time: `09:30`. */
export const toTime = format(MINUTE)

/** Formats a time: `Wed 18 Nov`. */
export function toWeekday(time: string | number): string {
  return weekdays(time).replace(',', '')
}

/** Formats a time: `Tue 1 Dec, 00:00` in the year of `fromMs`, `1 Dec 2028, 00:00` in any other year. */
export function toWeekdayTime(time: string, fromMs: number): string {
  const isThisYear = time.slice(0, 4) === new Date(fromMs).toISOString().slice(0, 4)
  return `${isThisYear ? toWeekday(time) : toDay(time)}, ${toTime(time)}`
}

/** Formats a time: `1 Dec`. */
export const toDayOfYear = format({ day: 'numeric', month: 'short' })

/** Formats a time: `18 Nov 2026 09:30:05`. */
export function toSecond(time: string | number): string {
  return seconds(time).replace(',', '')
}

/** Same as in `contract/time.ts`, which the console does not load. */
export const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/**
 * Formats a time after `fromMs` as briefly as possible: `09:30` on the same day, `1 Dec` within a year, `1 Dec 2028`
 * later.
 */
export function toAhead(time: string, fromMs: number): string {
  if (toDay(time) === toDay(fromMs)) return toTime(time)
  return Date.parse(time) - fromMs < YEAR_MS ? toDayOfYear(time) : toDay(time)
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/**
 * Formats a duration in milliseconds with its two largest units: `2 d 14 h`, `3 h 5 min`, `12 min`. Ten days or more
 * are formatted as days only, and less than a minute as `less than a minute`.
 */
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
