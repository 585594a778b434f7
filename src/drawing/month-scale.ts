/** Calendar months in UTC side by side, all equally wide. */
export interface MonthScale {
  /** In pixels. */
  width: number
  monthWidth: number
  months: readonly ScaleMonth[]
  /** Position of a time in pixels; a time outside the scale is at the nearer edge. */
  xOf: (ms: number) => number
  /** Time at a position, in epoch milliseconds; a position outside the scale is at the nearer edge. */
  msOf: (x: number) => number
}

interface ScaleMonth {
  x: number
  /** 0 for January. */
  month: number
  year: number
}

export const MONTH_NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Returns the month of a time in UTC, counted from the year 0. */
export function monthAt(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Creates the scale from one month to another, both included and counted as by `monthAt`. */
export function createMonthScale(first: number, last: number, monthWidth: number): MonthScale {
  const count = Math.max(last - first, 0) + 1
  const width = count * monthWidth
  const clamp = (x: number): number => Math.min(Math.max(x, 0), width)
  return {
    width,
    monthWidth,
    months: Array.from({ length: count }, (_, index) => ({
      x: index * monthWidth,
      month: (first + index) % 12,
      year: Math.floor((first + index) / 12),
    })),
    xOf: (ms) => {
      const month = monthAt(ms)
      const startMs = startOf(month)
      const share = (ms - startMs) / (startOf(month + 1) - startMs)
      return clamp((month - first + share) * monthWidth)
    },
    msOf: (x) => {
      const months = clamp(x) / monthWidth
      const month = first + Math.min(Math.floor(months), count - 1)
      const startMs = startOf(month)
      return Math.round(startMs + (months - (month - first)) * (startOf(month + 1) - startMs))
    },
  }
}

/** Returns the start of a month, counted as by `monthAt`, in epoch milliseconds. */
export function startOf(month: number): number {
  const start = new Date(0)
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
  start.setUTCFullYear(Math.floor(month / 12), month % 12, 1)
  return start.getTime()
}
