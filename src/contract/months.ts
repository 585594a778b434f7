import { NativeDate } from './moments.ts'

/** Calendar months in UTC, counted from the year 0. */

/** The month that a time falls in. */
export function monthOf(ms: number): number {
  const date = new NativeDate(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The month of a date or a datetime of the wire, or of a text like `2026-03`. */
export function parseMonth(text: string): number {
  return Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1
}

/** A month as `2026-03`. */
export function formatMonth(month: number): string {
  const year = Math.floor(month / 12)
  return `${String(year).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`
}
