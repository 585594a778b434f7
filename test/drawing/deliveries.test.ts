import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawDeliveries, ticksOf } from '../../src/drawing/deliveries.ts'
import type { Delivery } from '../../src/drawing/deliveries.ts'
import { drawGauge } from '../../src/drawing/gauge.ts'

test.each<[from: string, until: string, labels: string]>([
  ['2026-03-04T12:00:00Z', '2026-03-04T12:00:00Z', '12:00:00'],
  ['2026-03-04T12:00:01Z', '2026-03-04T12:00:19Z', '12:00:05, 12:00:10, 12:00:15'],
  ['2026-03-04T23:58:30Z', '2026-03-05T00:01:00Z', '03-04 23:59, 03-05 00:00, 03-05 00:01'],
  ['2026-02-28T12:00:00Z', '2026-03-02', '02-28 12:00, 03-01 00:00, 03-01 12:00, 03-02 00:00'],
  [
    '2026-02-27',
    '2026-03-03T09:00:00Z',
    '2026-02-27, 2026-02-28, 2026-03-01, 2026-03-02, 2026-03-03',
  ],
  ['2025-11-15', '2026-03-15', '2025-12, 2026-01, 2026-02, 2026-03'],
  ['1999-06-15', '2026-03-15', '2000-01, 2005-01, 2010-01, 2015-01, 2020-01, 2025-01'],
])('round times from %s to %s', (from, until, expected) => {
  const labels = ticksOf(Date.parse(from), Date.parse(until)).map(({ label }) => label)
  expect(labels.join(', ')).toBe(expected)
})

const ms = fc.option(fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-12-31') }))
const deliveries = fc.array(
  fc.record<Delivery>({
    label: fc.string({ unit: 'binary' }),
    finishedMs: ms,
    fetchedMs: ms,
    state: fc.constantFrom('delivered', 'missing', 'late'),
  }),
)

test('every report is within the drawing, and at most seven times are named in order', () => {
  fc.assert(
    fc.property(deliveries, (given) => {
      const svg = drawDeliveries(given, 'Reports')
      const [, width, height] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number)
      expect(svg.split('<g>')).toHaveLength(given.length + 1)
      expect(svg).not.toMatch(/NaN|undefined|Infinity/)
      for (const [, x, y] of svg.matchAll(/ cx="([\d.-]+)" cy="([\d.-]+)"/g)) {
        expect(Number(x)).toBeGreaterThan(0)
        expect(Number(x)).toBeLessThan(width ?? 0)
        expect(Number(y)).toBeLessThan(height ?? 0)
      }
      for (const [, from, until] of svg.matchAll(/ d="M([\d.-]+) [\d.]+H([\d.-]+)"/g)) {
        expect(Math.max(Number(from), Number(until))).toBeLessThan(width ?? 0)
        expect(Math.min(Number(from), Number(until))).toBeGreaterThan(0)
      }
      const times = given.flatMap(({ finishedMs, fetchedMs }) => [finishedMs, fetchedMs])
      const known = times.filter((time) => time !== null)
      if (known.length === 0) return
      const ticks = ticksOf(Math.min(...known), Math.max(...known)).map((tick) => tick.ms)
      expect(ticks.length).toBeLessThanOrEqual(7)
      expect(ticks).toEqual(ticks.toSorted((one, other) => one - other))
      for (const tick of ticks) {
        expect(tick).toBeGreaterThanOrEqual(Math.min(...known))
        expect(tick).toBeLessThanOrEqual(Math.max(...known))
      }
    }),
  )
})

test('a report is a ring where it was finished and a dot where it was fetched; one that was not is dashed to the end', () => {
  const finishedMs = Date.parse('2026-03-04T12:00:00Z')
  const row = { label: 'project <1>', finishedMs, fetchedMs: finishedMs + 60_000 }
  const fetched = drawDeliveries([{ ...row, state: 'delivered' }], 'Reports')
  expect(fetched.match(/<circle/g)).toHaveLength(2)
  expect(fetched).toContain('project &lt;1&gt;')
  expect(fetched).not.toContain('stroke-dasharray')
  const missing = drawDeliveries([{ ...row, fetchedMs: null, state: 'missing' }], 'Reports')
  expect(missing.match(/<circle/g)).toHaveLength(1)
  expect(missing).toContain('stroke-dasharray')
})

test.each([
  [100, '--passed', '238.8 238.8'],
  [90, '--passed', '214.9 238.8'],
  [89, '--warning', '212.5 238.8'],
  [49, '--failed', '117.0 238.8'],
])('a score of %i has the colour of its band, and its share of the ring', (score, color, dash) => {
  const svg = drawGauge(score, 'Retries')
  expect(svg).toContain(`stroke="var(${color}, `)
  expect(svg).toContain(`stroke-dasharray="${dash}"`)
  expect(svg).toContain(`>${score}</text>`)
})

test('no score is an empty ring around a dash', () => {
  const svg = drawGauge(null, 'Retries')
  expect(svg).toContain('>–</text>')
  expect(svg).not.toContain('stroke-dasharray')
})
