import { drawing, element, escapeText } from './svg.ts'

/** The share of something in a month. */
export interface MonthShare {
  /** What the month is called. */
  month: string
  /** From 0 to 1; null where it is not known. */
  share: number | null
}

/** Where everything in a chart of shares is, in pixels from its upper left corner. */
interface SharesLayout {
  /** The months whose share is known. */
  points: readonly { x: number; y: number; index: number }[]
  lines: readonly { y: number; label: string }[]
  /** The middle of each column. */
  columns: readonly number[]
}

const WIDTH = 324
const LEFT = 38
const RIGHT = WIDTH - 30
const TOP = 18
const BOTTOM = 118
const HEIGHT = BOTTOM + 26
/** The axis ends at the first of these that no share is above, in per cent. */
const TOPS = [10, 20, 40, 60, 80, 100]
/** Every third month is named, back from the last. */
const NAMED = 3

/** Lays out a point for each month, from left to right. */
export function layOutShares(shares: readonly MonthShare[]): SharesLayout {
  const highest = shares.reduce((most, { share }) => Math.max(most, share ?? 0), 0)
  const top = TOPS.find((percent) => percent >= highest * 100) ?? 100
  const pitch = (RIGHT - LEFT) / Math.max(shares.length - 1, 1)
  const yOf = (percent: number) => BOTTOM - (percent / top) * (BOTTOM - TOP)
  const columns = shares.map((_, index) => RIGHT - (shares.length - 1 - index) * pitch)
  return {
    points: shares.flatMap(({ share }, index) =>
      share === null ? [] : [{ x: columns[index]!, y: yOf(share * 100), index }],
    ),
    lines: [0, top / 2, top].map((percent) => ({ y: yOf(percent), label: `${percent}%` })),
    columns,
  }
}

/** A share as people read it: `41%`. */
export function toPercent(share: number): string {
  return `${Math.round(share * 100)}%`
}

const SOFT = 'var(--soft, #5d6066)'
const LINE = 'var(--line, #e2e2dd)'
const INK = 'var(--ink, #1c1d1f)'

/** Draws shares as a line, which is broken where a share is not known, the last with its figure. Returns an `<svg>`. */
export function drawShares(shares: readonly MonthShare[], label: string): string {
  const { points, lines, columns } = layOutShares(shares)
  const last = points.at(-1)
  return drawing(
    { width: WIDTH, height: HEIGHT, label, fontSize: 11.5 },
    ...lines.flatMap(({ y, label: text }) => [
      element('path', { d: `M${LEFT} ${y}H${WIDTH}`, stroke: LINE }),
      element('text', { x: LEFT - 6, y: y + 4, 'text-anchor': 'end', fill: SOFT }, text),
    ]),
    element('path', { d: toPath(points), fill: 'none', stroke: INK, 'stroke-width': 2 }),
    ...points.map(({ x, y }) => element('circle', { cx: x, cy: y, r: 2.5, fill: INK })),
    last
      ? element(
          'text',
          { x: last.x, y: last.y - 8, 'text-anchor': 'middle', fill: INK, 'font-weight': 600 },
          toPercent(shares[last.index]?.share ?? 0),
        )
      : '',
    ...columns.map((x, index) =>
      (columns.length - 1 - index) % NAMED === 0
        ? element(
            'text',
            { x, y: HEIGHT - 6, 'text-anchor': 'middle', fill: SOFT },
            escapeText(shares[index]?.month ?? ''),
          )
        : '',
    ),
  )
}

function toPath(points: SharesLayout['points']): string {
  return points
    .map(({ x, y, index }, at) => {
      const isNext = points[at - 1]?.index === index - 1
      return `${isNext ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
