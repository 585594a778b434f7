/**
 * Points in time in fixtures, options and commands: absolute, or relative to the world clock
 * (`now-3d`, `month+0/05`). On the wire they are always absolute.
 */

/**
 * The native `Date`, saved at import. The `Date` of fake timers is slower, and is not needed, because this file never reads the
 * current time.
 */
const NativeDate = Date

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const UNIT_MS = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS } as const

export const DAY = /^\d{4}-\d\d-\d\d$/
export const ABSOLUTE =
  /^(?<day>\d{4}-\d\d-\d\d)(?:T(?<minute>\d\d:\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,6}))?)?(?:Z|(?<offset>[+-]\d\d:\d\d)))?$/
export const FROM_NOW = /^now(?:([+-])(\d{1,5})([smhdw]))?$/
export const FROM_MONTH = /^month([+-]\d{1,4})\/(\d\d)$/

export const RELATIVE_FORMS = 'now, now-3d, now+2h, month+0/05'

export const DATE_TIME_REMEDY = `Write one like 2026-03-15T12:00:00Z, with a day that exists and Z or an offset, or relative to the clock: ${RELATIVE_FORMS}.`

/** First millisecond of the years that the wire can express. */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z')
/** Last millisecond of the years that the wire can express. */
export const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** A point in time: epoch milliseconds, and the microseconds (0 to 999) that a JavaScript date cannot represent. */
interface Moment {
  ms: number
  micros: number
}

export function parseAbsolute(text: string): Moment | undefined {
  const parts = ABSOLUTE.exec(text)?.groups
  if (!parts) return undefined
  const { day, minute = '00:00', second = '00', fraction = '', offset = '+00:00' } = parts
  const local = `${day}T${minute}:${second}`
  const localMs = Date.parse(`${local}Z`)
  const offsetMs = parseOffset(offset)
  if (Number.isNaN(localMs) || offsetMs === undefined) return undefined
  if (!new NativeDate(localMs).toISOString().startsWith(local)) return undefined

  const micros = Number(fraction.padEnd(6, '0'))
  const ms = localMs - offsetMs + Math.floor(micros / 1000)
  return isWithinYears(ms) ? { ms, micros: micros % 1000 } : undefined
}

/** The three forms of an HTTP date (RFC 9110, 5.6.7). */
const HTTP_DATE =
  /^(?:\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d\d-\w{3}-\d\d [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/

/** Parses an HTTP date to epoch milliseconds; undefined for any other string. */
export function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}

/** Parses an offset like `+01:30` to milliseconds; undefined if the hours or minutes are out of range. */
function parseOffset(text: string): number | undefined {
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * UNIT_MS.h + minutes * UNIT_MS.m)
}

function parseRelative(text: string, nowMs: number): Moment | undefined {
  const fromNow = FROM_NOW.exec(text)
  if (fromNow) {
    const [, sign = '+', count = '0', unit = 's'] = fromNow
    const distanceMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
    return { ms: clampToYears(nowMs + (sign === '-' ? -distanceMs : distanceMs)), micros: 0 }
  }
  const fromMonth = FROM_MONTH.exec(text)
  if (fromMonth) {
    const [, months, day] = fromMonth
    if (Number(day) < 1 || Number(day) > 31) return undefined
    return { ms: clampToYears(dayOfMonth(nowMs, Number(months), Number(day))), micros: 0 }
  }
  return undefined
}

/** True for a valid relative time that depends only on the month of the world clock, like `month+0/05`. */
export function isByMonth(text: string): boolean {
  return text.startsWith('month')
}

/** Rounds epoch milliseconds down to a whole minute. */
export function wholeMinute(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS
}

/**
 * Returns midnight UTC on `day` of the month that is `months` after the month of `nowMs`, in epoch milliseconds. If the month
 * has no such day, its last day is used.
 */
export function dayOfMonth(nowMs: number, months: number, day: number): number {
  const now = new NativeDate(nowMs)
  const first = new NativeDate(0)
  first.setUTCFullYear(now.getUTCFullYear(), now.getUTCMonth() + months, 1)
  const last = new NativeDate(first)
  last.setUTCMonth(last.getUTCMonth() + 1, 0)
  return first.setUTCDate(Math.min(day, last.getUTCDate()))
}

function isWithinYears(ms: number): boolean {
  return ms >= EARLIEST_MS && ms <= LATEST_MS
}

/** Limits epoch milliseconds to the years that the wire can express. */
export function clampToYears(ms: number): number {
  return Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS)
}

function parse(text: string, nowMs: number): Moment {
  const moment = parseAbsolute(text) ?? parseRelative(text, nowMs)
  if (!moment) throw new RangeError(`"${text}" was not validated as a date or a datetime.`)
  return moment
}

/** True for a valid point in time, absolute or relative. */
export function isMoment(text: string): boolean {
  return (parseAbsolute(text) ?? parseRelative(text, 0)) !== undefined
}

/** Formats epoch milliseconds as a datetime of the wire, with six fractional digits. */
export function toDateTime(ms: number, micros = 0): string {
  return `${new NativeDate(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

/** Formats the UTC day of epoch milliseconds as a date of the wire. */
export function toDate(ms: number): string {
  return toDateTime(ms).slice(0, 10)
}

/** Resolves a validated {@link DateTimeInput} to the wire's absolute datetime. `nowMs` is the time of the world clock. */
export function resolveDateTime(text: string, nowMs: number): string {
  const { ms, micros } = parse(text, nowMs)
  return toDateTime(ms, micros)
}

/** Resolves a validated {@link CalendarDateInput} to the wire's absolute date. `nowMs` is the time of the world clock. */
export function resolveDate(text: string, nowMs: number): string {
  return toDate(parse(text, nowMs).ms)
}

/** Resolves a validated {@link DateTimeInput} to epoch milliseconds. `nowMs` is the time of the world clock. */
export function resolveMs(text: string, nowMs: number): number {
  return parse(text, nowMs).ms
}

/** Returns the UTC calendar month of epoch milliseconds, as the number of months since January of the year 0. */
export function monthOf(ms: number): number {
  const date = new NativeDate(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Parses the month of a wire date or datetime, or of a string like `2026-03`, to a number as in {@link monthOf}. */
export function parseMonth(text: string): number {
  return Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1
}

/** Formats a month, numbered as in {@link monthOf}, like `2026-03`. */
export function formatMonth(month: number): string {
  const year = Math.floor(month / 12)
  return `${String(year).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`
}
