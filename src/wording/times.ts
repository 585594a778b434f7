/** Times are shown in UTC, as the API has them. */
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' }
const MINUTE: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }

const days = format(DAY)
const daysOfYear = format({ day: 'numeric', month: 'short' })
const times = format(MINUTE)
const months = format({ month: 'short', year: 'numeric' })
const longMonths = format({ month: 'long', year: 'numeric' })
const minutes = format({ ...DAY, ...MINUTE })
const seconds = format({ ...DAY, ...MINUTE, second: '2-digit' })

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC', hourCycle: 'h23' })
}

/** `Nov 2026`, of a time or a month like `2026-11`. */
export function toMonth(time: string | number): string {
  return months.format(new Date(time))
}

/** `November 2026`. */
export function toLongMonth(time: string | number): string {
  return longMonths.format(new Date(time))
}

/** `18 Nov 2026`. */
export function toDay(time: string | number): string {
  return days.format(new Date(time))
}

/** `18 Nov 2026 09:30`. */
export function toMinute(time: string | number): string {
  return minutes.format(new Date(time)).replace(',', '')
}

/** `18 Nov 2026 09:30:05`. */
export function toSecond(time: string | number): string {
  return seconds.format(new Date(time)).replace(',', '')
}

/** Same as in `contract/time.ts`, from which the console imports no values. */
export const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/** A future time, as short as possible: `09:30` on the same day, `1 Dec` within a year, `1 Dec 2028` later. */
export function toAhead(time: string, fromMs: number): string {
  if (toDay(time) === toDay(fromMs)) return times.format(new Date(time))
  return Date.parse(time) - fromMs < YEAR_MS ? daysOfYear.format(new Date(time)) : toDay(time)
}
