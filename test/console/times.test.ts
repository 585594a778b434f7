import { expect, test } from 'vitest'
import {
  DAY_MS,
  toAhead,
  toDay,
  toDayOfYear,
  toDaysAway,
  toDistance,
  toLongMonth,
  toMinute,
  toMoment,
  toMonth,
  toSecond,
  toTime,
  toWeekday,
  toWeekdayTime,
} from '../../src/wording/times.ts'

/** Times and distances in the console and the terminal, in UTC whatever the zone of the machine. */

const TIME = '2026-11-18T09:30:05.400000Z'

test.each([
  [toMonth, 'Nov 2026'],
  [toLongMonth, 'November 2026'],
  [toDay, '18 Nov 2026'],
  [toDayOfYear, '18 Nov'],
  [toMinute, '18 Nov 2026 09:30'],
  [toSecond, '18 Nov 2026 09:30:05'],
  [toMoment, '18 Nov, 09:30'],
  [toTime, '09:30'],
  [toWeekday, 'Wed 18 Nov'],
])('%o writes a time as %s, also from milliseconds', (write, text) => {
  expect(write(TIME)).toBe(text)
  expect(write(Date.parse(TIME))).toBe(text)
})

test('September has three letters, as in the timeline', () => {
  const time = '2026-09-08T09:30:05Z'
  const written = [toMonth, toDay, toDayOfYear, toMinute, toSecond, toMoment, toWeekday].map(
    (write) => write(time),
  )
  expect(written.filter((text) => !/\bSep\b/.test(text))).toEqual([])
  expect(toLongMonth(time)).toBe('September 2026')
})

test('a month is written without a day, and midnight as 00:00', () => {
  expect(toLongMonth('2026-03')).toBe('March 2026')
  expect(toMinute('2026-12-01')).toBe('1 Dec 2026 00:00')
})

test.each([
  ['2026-12-01T00:00:00.000000Z', 'Tue 1 Dec, 00:00'],
  ['2028-12-01T00:00:00.000000Z', '1 Dec 2028, 00:00'],
  ['2027-01-01T00:00:00.000000Z', '1 Jan 2027, 00:00'],
])('from November 2026, %s is %s', (time, text) => {
  expect(toWeekdayTime(time, Date.parse(TIME))).toBe(text)
})

test.each([
  ['2026-11-18T23:59:00Z', '23:59'],
  ['2026-12-01T00:00:00Z', '1 Dec'],
  ['2027-11-17T00:00:00Z', '17 Nov'],
  ['2027-11-19T00:00:00Z', '19 Nov 2027'],
])('ahead of 18 November 2026, %s is %s', (time, text) => {
  expect(toAhead(time, Date.parse(TIME))).toBe(text)
})

const HOUR_MS = DAY_MS / 24
const MINUTE_MS = HOUR_MS / 60

test.each([
  [0, 'less than a minute'],
  [MINUTE_MS - 1, 'less than a minute'],
  [MINUTE_MS, '1 min'],
  [HOUR_MS - 1, '59 min'],
  [HOUR_MS, '1 h'],
  [3 * HOUR_MS + 5 * MINUTE_MS, '3 h 5 min'],
  [DAY_MS, '1 d'],
  [DAY_MS + 5 * MINUTE_MS, '1 d'],
  [2 * DAY_MS + 14 * HOUR_MS + MINUTE_MS, '2 d 14 h'],
  [10 * DAY_MS - 1, '9 d 23 h'],
  [10 * DAY_MS + 23 * HOUR_MS, '10 d'],
  [400 * DAY_MS, '400 d'],
])('%d ms are %s', (ms, text) => {
  expect(toDistance(ms)).toBe(text)
})

test.each([
  ['2026-11-05', '13 days ago'],
  ['2026-11-17', '1 day ago'],
  ['2026-11-18', 'today'],
  ['2026-11-19', 'in 1 day'],
  ['2026-12-20', 'in 32 days'],
])('%s is %s on 18 November 2026, at any hour', (day, text) => {
  for (const time of ['00:00:00', '09:30:05', '23:59:59'])
    expect(toDaysAway(day, Date.parse(`2026-11-18T${time}Z`))).toBe(text)
})
