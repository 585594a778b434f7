/** UTC calendar months, side by side and equally wide. Widths and positions are in pixels. */
export interface MonthScale {
  width: number
  monthWidth: number
  months: readonly ScaleMonth[]
  /** Returns the position of a time, clamped to the scale. The time is in epoch milliseconds. */
  xOf: (ms: number) => number
  /** Returns the time at a position, in epoch milliseconds. The position is clamped to the scale. */
  msOf: (x: number) => number
}

interface ScaleMonth {
  x: number
  /** 0 for January. */
  month: number
  year: number
}

export const MONTH_NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Returns the UTC month of a time, as the number of months since January of the year 0. */
export function monthAt(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/**
 * Creates a scale from the month `first` to the month `last`, inclusive, numbered as in `monthAt`. `monthWidth` is in pixels.
 */
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

/** Returns the start of a month, numbered as in `monthAt`, in epoch milliseconds. */
export function startOf(month: number): number {
  const start = new Date(0)
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  start.setUTCFullYear(Math.floor(month / 12), month % 12, 1)
  return start.getTime()
}
