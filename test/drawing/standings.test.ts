import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BAND_STRENGTHS, drawStandings, layOutStandings } from '../../src/drawing/standings.ts'
import type { Standing } from '../../src/drawing/standings.ts'
import { runs } from '../support/depth.ts'

/** The chart of how many keywords stood where, month by month. */

const standings = fc.array(
  fc.record<Standing>({
    month: fc.string({ unit: 'binary' }),
    year: fc.option(fc.string(), { nil: undefined }),
    counts: fc.array(fc.nat({ max: 500 }), { minLength: 4, maxLength: 4 }),
  }),
  { maxLength: 12 },
)

test('bars are in proportion, on each other, within the drawing and beside each other', () => {
  fc.assert(
    fc.property(standings, (given) => {
      const { bars, lines, columns, width, height, left } = layOutStandings(given)
      const [bottom = 0] = lines.map(({ y }) => y)
      const unit = (bottom - (lines.at(-1)?.y ?? 0)) / Number(lines.at(-1)?.label)
      const shown = given.flatMap(({ counts }) => counts.filter((count) => count > 0))
      expect(bars).toHaveLength(shown.length)
      for (const [index, bar] of bars.entries()) {
        expect(bar.height).toBeCloseTo(shown[index]! * unit)
        expect(bar.x).toBeGreaterThanOrEqual(left)
        expect(bar.x + bar.width).toBeLessThanOrEqual(width)
        expect(bar.y).toBeGreaterThanOrEqual(0)
        expect(bar.y + bar.height).toBeLessThanOrEqual(bottom + 1e-6)
        const next = bars[index + 1]
        if (next && next.x === bar.x) expect(next.y + next.height).toBeCloseTo(bar.y)
        else if (next) expect(next.x).toBeGreaterThan(bar.x + bar.width)
      }
      expect(columns.every(({ x }) => x > left && x < width)).toBe(true)
      expect(lines.length).toBeLessThanOrEqual(6)
      expect(bottom).toBeLessThan(height)
    }),
    { numRuns: runs(300) },
  )
})

test.each([
  [1, '0 1'],
  [4, '0 1 2 3 4'],
  [7, '0 2 4 6 8'],
  [17, '0 5 10 15 20'],
  [500, '0 200 400 600'],
])('lines of a chart of %i keywords are round', (count, labels) => {
  const { lines } = layOutStandings([{ month: 'Mar', counts: [count, 0, 0, 0] }])
  expect(lines.map(({ label }) => label).join(' ')).toBe(labels)
})

test('the drawing is one of the months, whose names are escaped, and hides the lines behind its bars', () => {
  fc.assert(
    fc.property(standings, (given) => {
      const svg = drawStandings(given, '<Keywords>')
      expect(svg).toMatch(/^<svg [^<>]*aria-label="&lt;Keywords&gt;"[^<>]*>/)
      expect(svg).not.toMatch(/NaN|undefined|Infinity/)
      expect(svg.replaceAll(/<\/?(svg|path|rect|text)( [\w-]+="[^"<>]*")*>/g, '')).not.toMatch(
        /[<>]/,
      )
      const bars = layOutStandings(given).bars.length
      expect(svg.split('<rect ').length - 1).toBe(2 * bars)
    }),
    { numRuns: runs(100) },
  )
})

test('bands differ in their strength, the best the strongest', () => {
  expect([...BAND_STRENGTHS].toSorted((one, other) => other - one)).toEqual(BAND_STRENGTHS)
  expect(new Set(BAND_STRENGTHS).size).toBe(4)
})
