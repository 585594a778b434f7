import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawShares, layOutShares, toPercent } from '../../src/drawing/shares.ts'
import type { MonthShare } from '../../src/drawing/shares.ts'
import { runs } from '../support/depth.ts'

/** The chart of a share month by month. */

const shares = fc.array(
  fc.record<MonthShare>({
    month: fc.string({ unit: 'binary' }),
    share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { maxLength: 13 },
)

test('points are from left to right, in proportion, within the drawing and its lines', () => {
  fc.assert(
    fc.property(shares, (given) => {
      const { points, lines, columns } = layOutShares(given)
      const [bottom, middle, top] = lines.map(({ y }) => y)
      expect(bottom! - middle!).toBeCloseTo(middle! - top!)
      const whole = Number.parseInt(lines[2]!.label, 10) / 100
      expect(points.map(({ index }) => index)).toEqual(
        given.flatMap(({ share }, index) => (share === null ? [] : [index])),
      )
      for (const { x, y, index } of points) {
        expect(x).toBe(columns[index])
        expect(bottom! - y).toBeCloseTo((given[index]!.share! / whole) * (bottom! - top!))
        expect(y).toBeGreaterThanOrEqual(top! - 1e-6)
      }
      expect(columns.every((x, index) => x > (columns[index - 1] ?? 0) && x < 324)).toBe(true)
    }),
    { numRuns: runs(300) },
  )
})

test('the drawing is one of the months, whose names are escaped', () => {
  fc.assert(
    fc.property(shares, (given) => {
      const svg = drawShares(given, '<Keywords>')
      expect(svg).toMatch(/^<svg [^<>]*aria-label="&lt;Keywords&gt;"[^<>]*>/)
      expect(svg).not.toMatch(/NaN|undefined|Infinity/)
    }),
    { numRuns: runs(300) },
  )
})

test('the line is broken where a share is not known, and the last known one has its figure', () => {
  const months = [0.1, 0.2, null, 0.3, null].map((share) => ({ month: 'Mar', share }))
  const svg = drawShares(months, 'Shares')
  expect(/ d="(M[^"]+)" fill="none"/.exec(svg)?.[1]).toMatch(/^M[\d. ]+L[\d. ]+M[\d. ]+$/)
  expect(svg).toContain('>30%</text>')
})

test.each([
  [0, '0% 5% 10%'],
  [0.1, '0% 5% 10%'],
  [0.41, '0% 30% 60%'],
  [1, '0% 50% 100%'],
])('a chart up to %d has the lines %s', (share, labels) => {
  const { lines } = layOutShares([{ month: 'Mar', share }])
  expect(lines.map(({ label }) => label).join(' ')).toBe(labels)
})

test('a share is a whole number of per cent', () => {
  expect([0, 0.414, 0.996, 1].map(toPercent)).toEqual(['0%', '41%', '100%', '100%'])
})
