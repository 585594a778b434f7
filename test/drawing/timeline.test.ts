import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMonthScale, monthAt } from '../../src/drawing/month-scale.ts'
import { layOutTimeline } from '../../src/drawing/timeline.ts'
import type { Span } from '../../src/drawing/timeline.ts'

interface Report {
  id: number
  date_to_create_texts: string | null
  created_at: string
}

const report = (number: number, date_to_create_texts: string | null): Report => ({
  id: 100 + number,
  date_to_create_texts,
  created_at: '2026-05-01T00:00:00.000000Z',
})

const span = (from: string, until: string): Span => ({
  fromMs: Date.parse(from),
  untilMs: Date.parse(until),
})

interface Options {
  reports?: readonly Report[]
  lanes?: readonly (readonly Span[])[]
  nowMs?: number
  room?: number
  hasNames?: boolean
}

const layOut = (options: Options) =>
  layOutTimeline({
    reports: [],
    lanes: [],
    nowMs: Date.parse('2026-11-18T09:30:00Z'),
    ...options,
  })

describe('the scale of months', () => {
  const ms = fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-12-31T23:59:59Z') })

  test('a place on it is a time, and that time is at the place', () => {
    fc.assert(
      fc.property(
        ms,
        fc.integer({ min: 0, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (from, months, share) => {
          const scale = createMonthScale(monthAt(from), monthAt(from) + months, 112)
          const x = share * scale.width
          expect(scale.xOf(scale.msOf(x))).toBeCloseTo(x, 3)
        },
      ),
    )
  })

  test('a later time is never further left, and times outside are at the edges', () => {
    fc.assert(
      fc.property(ms, ms, ms, (from, one, other) => {
        const scale = createMonthScale(monthAt(from), monthAt(from) + 12, 28)
        const [earlier, later] = [Math.min(one, other), Math.max(one, other)]
        expect(scale.xOf(earlier)).toBeLessThanOrEqual(scale.xOf(later))
        expect(scale.xOf(earlier)).toBeGreaterThanOrEqual(0)
        expect(scale.xOf(later)).toBeLessThanOrEqual(scale.width)
      }),
    )
  })
})

describe('the timeline of a project', () => {
  test('places each report in the month in which it is due', () => {
    const { bars, scale } = layOut({ reports: [report(1, '2026-09-30'), report(2, '2026-10-01')] })
    const october = scale.xOf(Date.parse('2026-10-01'))
    expect(bars.map(({ report: { id }, x }) => [id, x])).toEqual([
      [101, october - scale.monthWidth],
      [102, october],
    ])
  })

  test('places a report without a due date in the month of its creation', () => {
    const { bars, scale } = layOut({ reports: [report(2, '2026-10-01'), report(1, null)] })
    expect(scale.xOf(Date.parse('2026-05-01'))).toBe(0)
    expect(bars[0]).toMatchObject({ report: { id: 101 }, x: 0 })
  })

  test('reports of one month stand below each other, by date, above all lanes', () => {
    const { bars, lanes, height } = layOut({
      reports: [report(2, '2026-10-20'), report(1, '2026-10-02')],
      lanes: [[], []],
    })
    expect(bars.map(({ report: { id } }) => id)).toEqual([101, 102])
    const ys = [...bars, ...lanes].map(({ y }) => y)
    expect(ys).toEqual(ys.toSorted((one, other) => one - other))
    expect(new Set(ys).size).toBe(4)
    expect(height).toBeGreaterThan(ys.at(-1)!)
  })

  test('a span begins at its time and ends before the next one', () => {
    const spans = [span('2026-10-01', '2026-11-01'), span('2026-11-01', '2026-11-16')]
    const { lanes, scale } = layOut({ reports: [report(1, '2026-10-01')], lanes: [spans] })
    const [one, other] = lanes[0]!.spans
    expect(one).toMatchObject({ answer: spans[0], x: scale.xOf(Date.parse('2026-10-01')) })
    expect(one!.x + one!.width).toBeLessThan(other!.x)
    expect(other!.x + other!.width).toBeLessThan(scale.xOf(Date.parse('2026-11-16')))
  })

  test('spans of other months are left out, and long ones are cut at the edges', () => {
    const { lanes, scale } = layOut({
      reports: [report(1, '2026-10-01')],
      lanes: [[span('2020-01-01', '2020-02-01'), span('2020-02-01', '9999-12-31')]],
    })
    expect(lanes[0]!.spans).toMatchObject([{ x: 0, width: scale.width - 4 }])
  })

  test('names above the lanes have room', () => {
    const lanes = [[], []]
    const [wide, narrow] = [layOut({ lanes }), layOut({ lanes, hasNames: true })]
    expect(narrow.lanes.map(({ y }, index) => y - wide.lanes[index]!.y)).toEqual([18, 36])
    expect(narrow.height - wide.height).toBe(36)
  })

  test('fills the room that it has, and says where each report is', () => {
    const { scale, bars } = layOut({ reports: [report(2, '2026-11-01')], room: 900 })
    expect(scale.width).toBe(900)
    expect(bars).toMatchObject([{ report: { id: 102 }, width: 146 }])
  })

  test('a whole number of months fills the room, also where not all of them fit', () => {
    const reports = Array.from({ length: 12 }, (_, index) =>
      report(index + 1, `2026-${String(index + 1).padStart(2, '0')}-01`),
    )
    expect(layOut({ reports, room: 358 }).scale.monthWidth).toBe(119)
    expect(layOut({ reports, room: 60 }).scale.monthWidth).toBe(112)
  })

  test('stays narrow enough for a page, wherever the world clock stands', () => {
    const [from, until] = [-62135596800000, 253402300799999]
    fc.assert(
      fc.property(
        fc.integer({ min: from, max: until }),
        fc.integer({ min: from, max: until }),
        (nowMs, dueMs) => {
          const due = new Date(dueMs).toISOString().slice(0, 10)
          const { scale } = layOut({ nowMs, reports: [report(1, '2026-10-01')] })
          expect(scale.width).toBeLessThanOrEqual(8000)
          expect(scale.xOf(nowMs)).toBeLessThanOrEqual(scale.width)
          const { bars, lanes } = layOut({
            reports: [report(1, due)],
            lanes: [[{ fromMs: Math.min(nowMs, dueMs), untilMs: Math.max(nowMs, dueMs) }]],
          })
          const places = [...bars, ...lanes.flatMap(({ spans }) => spans)]
          for (const { x, y, width } of places) expect(x + y + width).toBeGreaterThan(0)
        },
      ),
    )
  })
})
