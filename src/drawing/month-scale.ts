/** Calendar months in UTC side by side, each as wide as the others. */
export interface MonthScale {
  /** In pixels. */
  width: number
  monthWidth: number
  months: readonly ScaleMonth[]
  /** Where a time is, in pixels; times outside are at the nearer edge. */
  xOf: (ms: number) => number
  /** The time at a place in epoch milliseconds; places outside are at the nearer edge. */
  msOf: (x: number) => number
}

interface ScaleMonth {
  x: number
  /** 0 for January. */
  month: number
  year: number
}

export const MONTH_NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** The month that a time falls in, in UTC, counted from the year 0. */
export function monthAt(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The scale from one month to another, both included, as `monthAt` counts them. */
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

/** When a month begins, as `monthAt` counts them, in epoch milliseconds. */
export function startOf(month: number): number {
  const start = new Date(0)
  // `Date.UTC` takes the years 0 to 99 for those of the 20th century.
  start.setUTCFullYear(Math.floor(month / 12), month % 12, 1)
  return start.getTime()
}
