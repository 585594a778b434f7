import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMonthScale, monthAt } from '../../src/drawing/month-scale.ts'
import { drawTimeline } from '../../src/drawing/timeline.ts'
import type { TimelineInput, TimelineReport } from '../../src/drawing/layout.ts'

const report = (
  report_number: number,
  date_to_create_texts: string | null,
  status = 'completed',
): TimelineReport => ({
  id: 100 + report_number,
  report_number,
  status,
  date_to_create_texts,
  created_at: '2026-05-01T00:00:00.000000Z',
})

const draw = (input: Partial<TimelineInput>) =>
  drawTimeline({
    reports: [],
    playheadMs: Date.parse('2026-11-18T09:30:00Z'),
    latest: null,
    lastGenerated: null,
    ...input,
  })

/** A report as it is drawn. */
const barOf = (svg: string, id: number): string =>
  new RegExp(`<g data-report="${id}">.*?</g>`).exec(svg)?.[0] ?? ''

const numberOf = (text: string, attribute: string): number =>
  Number(new RegExp(` ${attribute}="([\\d.]+)"`).exec(text)?.[1])

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
  test('shows each report with its number and its status in the month in which it is due', () => {
    const { svg, scale } = draw({
      reports: [report(1, '2026-09-30'), report(2, '2026-10-01', 'running')],
    })
    expect(barOf(svg, 101)).toContain('1 completed')
    expect(barOf(svg, 102)).toContain('2 running')
    expect(numberOf(barOf(svg, 101), 'x')).toBeLessThan(scale.xOf(Date.parse('2026-10-01')))
    expect(numberOf(barOf(svg, 102), 'x')).toBeGreaterThan(scale.xOf(Date.parse('2026-10-01')))
  })

  test('shows a report without a due date in the month of its creation, with a dashed line', () => {
    const { svg, scale } = draw({ reports: [report(1, null), report(2, '2026-10-01')] })
    expect(scale.xOf(Date.parse('2026-05-01'))).toBe(0)
    expect(barOf(svg, 101)).toContain('stroke-dasharray')
    expect(barOf(svg, 102)).not.toContain('stroke-dasharray')
  })

  test('reports of one month stand below each other', () => {
    const { svg } = draw({ reports: [report(2, '2026-10-20'), report(1, '2026-10-02')] })
    expect(numberOf(barOf(svg, 101), 'y')).toBeLessThan(numberOf(barOf(svg, 102), 'y'))
  })

  test('marks what the two endpoints return, and neither where both are 404', () => {
    const reports = [report(1, '2026-10-01'), report(2, '2026-11-01', 'running')]
    const marked = draw({ reports, latest: 102, lastGenerated: 101 }).svg
    expect(marked).toContain('>latest<')
    expect(marked).toContain('>last generated<')
    expect(draw({ reports }).svg).not.toMatch(/>latest<|>last generated</)
  })

  test('the two marks of one report do not overlap', () => {
    const { svg } = draw({ reports: [report(1, '2026-10-01')], latest: 101, lastGenerated: 101 })
    const yOf = (text: string): number =>
      Number(new RegExp(` y="([\\d.]+)"[^>]*>${text}<`).exec(svg)?.[1])
    expect(yOf('last generated') - yOf('latest')).toBeGreaterThan(20)
  })

  test('the mark of a report that is out of view is at the edge, with an arrow to it', () => {
    const reports = [report(1, '2026-06-01'), report(2, '2026-11-01')]
    const { svg } = draw({ reports, latest: 101, inView: { from: 312, until: 624 } })
    const [mark, x] = /<rect x="([\d.]+)"[^>]*rx="10"[^>]*><\/rect><text[^>]*>← latest</.exec(svg)!
    expect(mark).toBeTruthy()
    expect(Number(x)).toBe(314)
    expect(draw({ reports, latest: 102, inView: { from: 0, until: 312 } }).svg).toContain(
      '>latest →<',
    )
  })

  test('the bar of a report that is never the latest is hollow, and says why (4.5)', () => {
    const regular = report(1, '2026-10-01')
    const { svg } = draw({
      reports: [regular, { ...report(2, '2026-11-01'), action_type: 'extra' }],
    })
    expect(barOf(svg, 101)).toContain('fill-opacity="0.2"')
    expect(barOf(svg, 102)).toContain('fill-opacity="0"')
    expect(barOf(svg, 102)).toContain('type extra')
  })

  test('a preview leaves the months where they are, and is drawn lighter than what is in force', () => {
    const inForceMs = Date.parse('2026-11-18T09:30:00Z')
    const reports = [report(1, '2026-10-01')]
    const inForce = draw({ reports, playheadMs: inForceMs, latest: 101 })
    const preview = draw({
      reports,
      playheadMs: Date.parse('2027-06-01'),
      compared: { ms: inForceMs, latest: 101, lastGenerated: null, isInForce: true },
      latest: 101,
    })
    expect(preview.scale.months).toEqual(inForce.scale.months)
    const markOf = (svg: string): string => /<rect[^>]*rx="10"[^>]*>/.exec(svg)?.[0] ?? ''
    expect(markOf(inForce.svg)).toContain('fill="var(--accent')
    expect(markOf(preview.svg)).toContain('stroke-dasharray')
    expect(markOf(preview.svg)).not.toContain('fill="var(--accent')
  })

  const marksOf = (svg: string): string[] =>
    [...svg.matchAll(/rx="10"([^>]*)><\/rect><text[^>]*>([^<]*)</g)].map(
      ([, shape = '', text = '']) => (shape.includes('dasharray') ? `${text}, light` : text),
    )

  test('two moments are in one picture: both marks where they are elsewhere, and what has changed', () => {
    const reports = [report(1, '2026-10-01'), { ...report(2, '2026-11-01'), isChanged: true }]
    const other = { ms: Date.parse('2026-10-31'), latest: 101, lastGenerated: 102 }
    const drawn = { reports, latest: 102, lastGenerated: 102 }
    const after = draw({ ...drawn, compared: { ...other, isInForce: false } }).svg
    expect(marksOf(after)).toEqual(['was latest, light', 'latest', 'last generated'])
    const preview = draw({ ...drawn, compared: { ...other, isInForce: true } }).svg
    expect(marksOf(preview)).toEqual(['latest', 'latest, light', 'last generated, light'])
    expect(marksOf(draw(drawn).svg)).toEqual(['latest', 'last generated'])
    expect(barOf(after, 102)).toContain('<circle')
    expect(barOf(after, 102)).toContain('changed</title>')
    expect(barOf(after, 101)).not.toContain('<circle')
  })

  test('of two marks in one row the one that is not in force gives way, and goes where there is no room', () => {
    const reports = [report(1, '2026-09-01'), report(2, '2026-10-01'), report(3, '2026-11-01')]
    const other = { ms: 0, latest: null, isInForce: false }
    const compare = (lastGenerated: number, was: number): string =>
      draw({ reports, lastGenerated, compared: { ...other, lastGenerated: was } }).svg
    const boxes = [
      ...compare(103, 102).matchAll(
        /<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="20" rx="10"/g,
      ),
    ]
    const [was, is] = boxes.map(([, x, width]) => [Number(x), Number(width)] as const)
    expect(was![0] + was![1]).toBeLessThan(is![0])
    expect(marksOf(compare(102, 101))).toEqual(['last generated'])
  })

  test('a report that finishes by itself has a dashed line to that moment, and says when', () => {
    const finishesMs = Date.parse('2026-12-01T07:42:00Z')
    const pending = { ...report(1, '2026-12-01', 'pending'), finishesMs }
    const { svg, scale } = draw({ reports: [pending] })
    const x = Math.round(scale.xOf(finishesMs) * 10) / 10
    expect(svg).toMatch(
      new RegExp(`d="M[\\d.]+ [\\d.]+H${scale.xOf(finishesMs)}" stroke-dasharray`),
    )
    expect(svg).toContain(`<circle cx="${x}"`)
    expect(barOf(svg, 101)).toContain('finishes by itself 2026-12-01 07:42</title>')
    // Once it is finished there is nothing to wait for.
    expect(draw({ reports: [pending], playheadMs: finishesMs }).svg).not.toContain('<circle')
  })

  test('fills the room that it has, and says where each report is', () => {
    const { width, bars } = draw({ reports: [report(2, '2026-11-01')], room: 900 })
    expect(width).toBe(900)
    expect(bars).toMatchObject([{ report: { id: 102 }, width: 142 }])
  })

  test('a whole number of months fills the room, also where not all of them fit', () => {
    const reports = Array.from({ length: 12 }, (_, index) =>
      report(index + 1, `2026-${String(index + 1).padStart(2, '0')}-01`),
    )
    const { scale } = draw({ reports, room: 324 })
    expect(scale.monthWidth).toBe(108)
    expect(draw({ reports, room: 60 }).scale.monthWidth).toBe(104)
  })

  test('the first month in view has its year', () => {
    const reports = [report(1, '2026-09-01')]
    const inView = { from: 104, until: 428 }
    expect(draw({ reports, inView }).svg).toContain('>Oct 2026<')
    expect(draw({ reports }).svg).toContain('>Oct<')
  })

  test('labels stay within what is in view, at both of its edges', () => {
    const text = 'a label of some length'
    const half = (text.length * 7) / 2
    const xOf = (playhead: string, inView: { from: number; until: number }): number => {
      const playheadMs = Date.parse(playhead)
      const reports = [report(1, '2026-06-01')]
      const { svg } = draw({ reports, playheadMs, playheadLabel: text, inView })
      return numberOf(new RegExp(`<text[^>]*>${text}`).exec(svg)![0], 'x')
    }
    expect(xOf('2026-07-01', { from: 100, until: 400 })).toBe(100 + half)
    expect(xOf('2026-09-25', { from: 100, until: 400 })).toBe(400 - half)
    // It goes with a playhead that is out of view.
    expect(xOf('2026-07-01', { from: 208, until: 400 })).toBe(104)
  })

  test('what is written at a change is left of it where there is no room to its right', () => {
    const changes = [{ ms: Date.parse('2026-12-01'), text: 'latest changes' }]
    const labelIn = (until: number): string => {
      const reports = [report(1, '2026-10-01')]
      const { svg } = draw({ reports, changes, inView: { from: 0, until } })
      return /<text[^>]*>latest changes/.exec(svg)![0]
    }
    expect(labelIn(600)).not.toContain('text-anchor')
    expect(labelIn(250)).toContain('text-anchor="end"')
  })

  test('no line is drawn over a label', () => {
    const { svg } = draw({
      reports: [
        { ...report(1, '2026-11-01', 'pending'), finishesMs: Date.parse('2026-12-02') },
        report(2, '2026-10-01'),
      ],
      latest: 101,
      compared: {
        ms: Date.parse('2026-11-10'),
        latest: 102,
        lastGenerated: null,
        isInForce: false,
      },
      playheadLabel: 'a time',
      changes: [{ ms: Date.parse('2026-12-01'), text: 'latest changes' }],
    })
    const lastLine = svg.lastIndexOf('<path')
    for (const label of ['>latest changes<', '>a time<', '>latest<', '>was latest<']) {
      expect(svg.indexOf(label)).toBeGreaterThan(lastLine)
    }
  })

  test('stays narrow enough for a page, wherever the world clock stands', () => {
    const [from, until] = [-62135596800000, 253402300799999]
    fc.assert(
      fc.property(
        fc.integer({ min: from, max: until }),
        fc.integer({ min: from, max: until }),
        (playheadMs, dueMs) => {
          const due = new Date(dueMs).toISOString().slice(0, 10)
          const { width, scale } = draw({ playheadMs, reports: [report(1, '2026-10-01')] })
          expect(width).toBeLessThanOrEqual(8000)
          expect(scale.xOf(playheadMs)).toBeLessThanOrEqual(width)
          expect(draw({ reports: [report(1, due)] }).svg).not.toContain('NaN')
        },
      ),
    )
  })

  test('a text of a fixture is a text and nothing else', () => {
    const hostile = '"/><script>alert(1)</script>\u0000&'
    const { svg } = draw({ reports: [report(1, '2026-10-01', hostile)], playheadLabel: hostile })
    expect(svg).not.toContain('<script')
    expect(svg).not.toContain('\u0000')
    expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\u{FFFD}&amp;')
  })
})
