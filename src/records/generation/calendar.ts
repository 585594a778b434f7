import { memoize } from '../../contract/cache.ts'
import { clampToYears, DAY_MS, dayOfMonth, MINUTE_MS, toDateTime } from '../../contract/moments.ts'
import { flat } from './flat.ts'

/**
 * The calendar of a generated world, counted from the month of its load. Each month, day and time of day is computed once: the
 * reports of a project have a hundred dates, and those of other projects mostly the same ones.
 */
export interface Calendar {
  /** Midnight UTC of a day in the month that is `months` after the month of the load; days from 1 to 28. */
  dayFromLoad: (months: number, day: number) => number
  /** A time as a date of the wire. */
  toDate: (ms: number) => string
  /** A whole minute as a datetime of the wire. */
  toDateTime: (ms: number) => string
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

export function createCalendar(loadedMs: number): Calendar {
  const firstOf = memoize((months: number) => dayOfMonth(loadedMs, months, 1))
  const dateOf = memoize((day: number) => toDateTime(day * DAY_MS).slice(0, 10))
  const toDate = (ms: number) => dateOf(Math.floor(ms / DAY_MS))
  return {
    dayFromLoad: (months, day) => clampToYears(firstOf(months) + (day - 1) * DAY_MS),
    toDate,
    toDateTime: (ms) => {
      const minutes = Math.floor((ms - Math.floor(ms / DAY_MS) * DAY_MS) / MINUTE_MS)
      const [hour, minute] = [Math.floor(minutes / 60), minutes % 60]
      return flat(toDate(ms), 'T', TWO_DIGITS[hour]!, ':', TWO_DIGITS[minute]!, ':00.000000Z')
    },
  }
}
