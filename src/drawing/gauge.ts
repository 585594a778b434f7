import { drawing, element, escapeText } from './svg.ts'

const SIZE = 88
const RADIUS = 38
const WIDTH = 8
const LENGTH = 2 * Math.PI * RADIUS

/** Colours by minimum score, the highest first. Each is a custom property of the page with a fallback. */
const BANDS = [
  { from: 90, color: 'var(--passed, #187a4b)' },
  { from: 50, color: 'var(--warning, #8a5a00)' },
  { from: 0, color: 'var(--failed, #b3261e)' },
]

/** Draws a score from 0 to 100 as a ring around the number, and null as an empty ring around a dash. Returns an `<svg>`. */
export function drawGauge(score: number | null, label: string): string {
  const middle = SIZE / 2
  const ring = { cx: middle, cy: middle, r: RADIUS, fill: 'none', 'stroke-width': WIDTH }
  const color = BANDS.find(({ from }) => score !== null && score >= from)?.color
  const written = (LENGTH * (score ?? 0)) / 100
  return drawing(
    { width: SIZE, height: SIZE, label },
    element('circle', { ...ring, stroke: 'var(--line, #dde2e6)' }),
    written > 0
      ? element('circle', {
          ...ring,
          stroke: color,
          'stroke-dasharray': `${written.toFixed(1)} ${LENGTH.toFixed(1)}`,
          transform: `rotate(-90 ${middle} ${middle})`,
        })
      : '',
    element(
      'text',
      {
        x: middle,
        y: middle + 8,
        'text-anchor': 'middle',
        'font-size': 24,
        'font-weight': 600,
        fill: color ?? 'var(--quiet, #5b6670)',
      },
      escapeText(score === null ? '–' : String(score)),
    ),
  )
}
