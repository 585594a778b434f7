import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calendarMonth, describeMonth, monthEdges } from '../../src/engine/calendar-month.ts'
import { runs } from '../support/depth.ts'

const ALWAYS = { afterMs: -Infinity, beforeMs: Infinity }

/** Every zone that the policy accepts and this Node supports (G-072). */
const ZONES = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.startsWith('Europe/')),
]

/** Formats the local day of a zone, in a different locale than the code does. */
const DAYS = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }),
  ]),
)

describe('G-072 the edges of a month', () => {
  test('are at whole minutes, between the last day of the previous month and the first of the month, in every zone since 1850', () => {
    expect(ZONES.length).toBeGreaterThan(30)
    const months = fc.tuple(fc.integer({ min: 1850, max: 2100 }), fc.integer({ min: 0, max: 11 }))
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), months, (zone, [year, month]) => {
        const name = new Date(Date.UTC(year, month)).toISOString().slice(0, 7)
        const [start = NaN, end = NaN, ...others] = monthEdges([name], zone, ALWAYS)
        expect(others).toEqual([])
        for (const edge of [start, end]) {
          expect(Number.isInteger(edge / 60_000)).toBe(true)
          expect(DAYS.get(zone)?.format(edge)).toMatch(/-01$/)
          expect(DAYS.get(zone)?.format(edge - 60_000)).not.toMatch(/-01$/)
        }
        expect(calendarMonth(start - 1, zone)).not.toBe(name)
        expect(calendarMonth(start, zone)).toBe(name)
        expect(calendarMonth(end - 1, zone)).toBe(name)
        expect(calendarMonth(end, zone)).not.toBe(name)
      }),
      { numRuns: runs(3000) },
    )
  })

  test.each([
    ['UTC', '2026-03', ['2026-03-01T00:00Z', '2026-04-01T00:00Z'], 'the plain case'],
    [
      'Europe/Copenhagen',
      '2026-03',
      ['2026-02-28T23:00Z', '2026-03-31T22:00Z'],
      'summer time begins',
    ],
    [
      'Europe/Copenhagen',
      '2026-10',
      ['2026-09-30T22:00Z', '2026-10-31T23:00Z'],
      'summer time ends',
    ],
    ['Europe/London', '2026-01', ['2026-01-01T00:00Z', '2026-02-01T00:00Z'], 'no offset in winter'],
    [
      'Europe/Moscow',
      '1981-10',
      ['1981-09-30T21:00Z', '1981-10-31T21:00Z'],
      'at midnight the clock goes back into September',
    ],
    [
      'Europe/Moscow',
      '1981-04',
      ['1981-03-31T21:00Z', '1981-04-30T20:00Z'],
      "April begins at one o'clock, because midnight is skipped",
    ],
    [
      'Europe/Moscow',
      '1900-02',
      ['1900-01-31T21:30Z', '1900-02-28T21:30Z'],
      'at the next whole minute, because the offset was 2:30:17',
    ],
    [
      'Europe/Copenhagen',
      '9999-12',
      ['9999-11-30T23:00Z', '9999-12-31T23:00Z'],
      'the last supported month',
    ],
  ])('in %s, %s: %s, %s', (zone, month, [start = '', end = '']) => {
    expect(monthEdges([month], zone, ALWAYS)).toEqual([Date.parse(start), Date.parse(end)])
  })

  test('are each returned once, in order, and only those between two times', () => {
    const edges = (afterMs: number, beforeMs: number) =>
      monthEdges(['2026-03', '2026-01', '2026-02'], 'UTC', { afterMs, beforeMs })
    const [january, february, march, april] = [0, 1, 2, 3].map((month) => Date.UTC(2026, month))
    expect(edges(-Infinity, Infinity)).toEqual([january, february, march, april])
    expect(edges(february! - 1, march! + 1)).toEqual([february, march])
    expect(edges(february!, march!)).toEqual([])
  })
})

test('G-072 in a zone behind UTC the year 1 starts in the month 0000-12', () => {
  expect(calendarMonth(Date.parse('0001-01-01T00:00:00Z'), 'Europe/Lisbon')).toBe('0000-12')
})

test('a month is named with its zone, unless that is UTC', () => {
  expect(describeMonth('2026-03', 'UTC')).toBe('March 2026')
  expect(describeMonth('2026-03', 'Europe/Paris')).toBe('March 2026 (Europe/Paris, G-072)')
})
