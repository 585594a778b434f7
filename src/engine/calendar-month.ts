import { memoize } from '../contract/cache.ts'
import { DAY_MS, MINUTE_MS, wholeMinute } from '../contract/time.ts'

/** A calendar month, `YYYY-MM`. */
export type Month = string

/**
 * Returns the month of a time in `timeZone`, never in the machine's own zone (trap T27). The time is rounded down to a whole
 * minute, because time alone changes the world only at whole minutes, and some historical offsets include seconds.
 */
export function calendarMonth(nowMs: number, timeZone: string): Month {
  return monthsIn(timeZone)(wholeMinute(nowMs))
}

/** Memoized, because a list of projects needs the same month once per project. */
const monthsIn = memoize((timeZone: string) =>
  memoize((minuteMs: number) => toMonth(localMs(minuteMs, timeZone))),
)

/**
 * Returns one of the listed time zones for each month that is current in any of them at `nowMs`, except the month in `timeZone`.
 */
export function zonesOfOtherMonths(
  listZones: () => readonly string[],
  timeZone: string,
  nowMs: number,
): string[] {
  // Every offset from UTC is less than a day, so all zones are usually in the same month.
  if (toMonth(nowMs - DAY_MS) === toMonth(nowMs + DAY_MS)) return []
  const zones = new Map(listZones().map((zone) => [calendarMonth(nowMs, zone), zone]))
  zones.delete(calendarMonth(nowMs, timeZone))
  return [...zones.values()]
}

/**
 * Returns the times between `afterMs` and `beforeMs`, both exclusive, at which any of the months begins or ends, in ascending epoch
 * milliseconds.
 */
export function monthEdges(
  months: Iterable<Month>,
  timeZone: string,
  { afterMs, beforeMs }: { afterMs: number; beforeMs: number },
): number[] {
  const localStarts = new Set([...months].flatMap((month) => [startOf(month), endOf(month)]))
  return [...localStarts]
    .filter((ms) => ms + DAY_MS > afterMs && ms - DAY_MS < beforeMs)
    .map((ms) => findLocal(ms, timeZone))
    .filter((ms) => ms > afterMs && ms < beforeMs)
    .toSorted((one, other) => one - other)
}

/** Formats a month as `March 2026`, with the zone if it is not UTC. */
export function describeMonth(month: Month, timeZone: string): string {
  const name = nameOf(month)
  return timeZone === 'UTC' ? name : `${name} (${timeZone}, G-072)`
}

const NAMED_MONTH = { timeZone: 'UTC', month: 'long', year: 'numeric' } as const

/** Memoized, because formatting a month is slow, and an explanation names the same month many times. */
const nameOf = memoize((month: Month) =>
  new Date(startOf(month)).toLocaleDateString('en', NAMED_MONTH),
)

function toMonth(ms: number): Month {
  return new Date(ms).toISOString().slice(0, 7)
}

function startOf(month: Month): number {
  return Date.parse(`${month}-01`)
}

function endOf(month: Month): number {
  const start = new Date(startOf(month))
  return start.setUTCMonth(start.getUTCMonth() + 1)
}

/** Returns the first whole minute, in epoch milliseconds, at which the local time in a zone is `shownMs` or later. */
function findLocal(shownMs: number, timeZone: string): number {
  const offsets = [shownMs - DAY_MS, shownMs + DAY_MS].map((ms) => localMs(ms, timeZone) - ms)
  let before = wholeMinute(shownMs - Math.max(...offsets) - 1)
  let after = wholeMinute(shownMs - Math.min(...offsets) - 1) + MINUTE_MS
  // Unless the offset changes within a day of `shownMs`, `before` and `after` are already one minute apart.
  while (after - before > MINUTE_MS) {
    const middle = wholeMinute((before + after) / 2)
    if (localMs(middle, timeZone) < shownMs) before = middle
    else after = middle
  }
  return after
}

/** Returns the local time in a zone, as the epoch milliseconds at which UTC has the same date and time. */
function localMs(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return ms
  const parts = new Map(
    formatIn(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = FIELDS.map((field) =>
    Number(parts.get(field)),
  )
  const shown = new Date(0)
  shown.setUTCFullYear(parts.get('era') === 'BC' ? 1 - year : year, month - 1, day)
  return shown.setUTCHours(hour, minute, second)
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const

const formatIn = memoize((timeZone: string) => {
  const numbers = Object.fromEntries(FIELDS.map((field) => [field, 'numeric'] as const))
  return new Intl.DateTimeFormat('en', { timeZone, era: 'short', hourCycle: 'h23', ...numbers })
})
