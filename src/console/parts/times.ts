/** Times are shown in UTC, as the API has them. */
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' }
const MINUTE: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }

const days = format(DAY)
const minutes = format({ ...DAY, ...MINUTE })
const seconds = format({ ...DAY, ...MINUTE, second: '2-digit' })

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC', hourCycle: 'h23' })
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
