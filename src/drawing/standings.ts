import { drawing, element, escapeText } from './svg.ts'

/** Keyword counts of a month by band of search positions, the best band first. */
export interface Standing {
  month: string
  /** Year to print below the month; omitted or undefined to print none. */
  year?: string | undefined
  counts: readonly number[]
}

interface Bar {
  x: number
  y: number
  width: number
  height: number
  /** Index of the band; 0 is the best. */
  band: number
}

/** Layout of a chart of standings, in pixels from its upper left corner. */
interface StandingsLayout {
  width: number
  height: number
  /** Left end of the horizontal lines, which run to the right edge. */
  left: number
  bars: readonly Bar[]
  lines: readonly { y: number; label: string }[]
  /** Labels below the columns. `x` is the middle of the column. */
  columns: readonly { x: number; month: string; year: string | undefined }[]
  monthY: number
  yearY: number
}

const WIDTH = 352
const LEFT = 30
const TOP = 8
const PLOT_HEIGHT = 132
const BOTTOM = TOP + PLOT_HEIGHT
const MINIMUM_COLUMNS = 6
const MAXIMUM_BAR_WIDTH = 22
const BAR_SHARE = 0.68
const MAXIMUM_LINES = 4
const STEPS = [1, 2, 5]

/** Opacity of a bar by its band, the best band first. */
export const BAND_STRENGTHS: readonly number[] = [1, 0.62, 0.34, 0.16]

/** Lays out one column per month, with its bands stacked and the best band at the bottom. */
export function layOutStandings(standings: readonly Standing[]): StandingsLayout {
  const totals = standings.map(({ counts }) => sum(counts))
  const step = stepFor(totals.reduce((one, other) => Math.max(one, other), 1))
  const top = Math.ceil(totals.reduce((one, other) => Math.max(one, other), 1) / step) * step
  const heightOf = (count: number) => (count / top) * PLOT_HEIGHT
  const pitch = (WIDTH - LEFT) / Math.max(standings.length, MINIMUM_COLUMNS)
  const width = Math.min(pitch * BAR_SHARE, MAXIMUM_BAR_WIDTH)
  const middleOf = (column: number) => LEFT + (column + 0.5) * pitch
  return {
    width: WIDTH,
    height: BOTTOM + 34,
    left: LEFT,
    bars: standings.flatMap(({ counts }, column) =>
      counts.flatMap((count, band) => {
        const below = sum(counts.slice(0, band))
        const [x, y] = [middleOf(column) - width / 2, BOTTOM - heightOf(below + count)]
        return count === 0 ? [] : [{ x, y, width, height: heightOf(count), band }]
      }),
    ),
    lines: Array.from({ length: top / step + 1 }, (_, line) => ({
      y: BOTTOM - heightOf(line * step),
      label: String(line * step),
    })),
    columns: standings.map(({ month, year }, column) => ({ x: middleOf(column), month, year })),
    monthY: BOTTOM + 15,
    yearY: BOTTOM + 29,
  }
}

/** Returns the smallest round step that reaches the total in at most `MAXIMUM_LINES` steps. */
function stepFor(total: number): number {
  for (let ten = 1; ; ten *= 10) {
    const step = STEPS.map((each) => each * ten).find((each) => total / each <= MAXIMUM_LINES)
    if (step !== undefined) return step
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}

const QUIET = 'var(--quiet, #5b6670)'
const LINE = 'var(--line, #dde2e6)'
const GROUND = 'var(--page, #fff)'
const COLOR = 'var(--agency, #025da1)'

/** Draws the standings as stacked columns. Returns an `<svg>`. */
export function drawStandings(standings: readonly Standing[], label: string): string {
  const { width, height, left, bars, lines, columns, monthY, yearY } = layOutStandings(standings)
  const below = { 'text-anchor': 'middle', fill: QUIET }
  return drawing(
    { width, height, label, fontSize: 11 },
    ...lines.flatMap(({ y, label: text }) => [
      element('path', { d: `M${left} ${y.toFixed(1)}H${width}`, stroke: LINE }),
      element('text', { x: left - 6, y: y + 4, 'text-anchor': 'end', fill: QUIET }, text),
    ]),
    // Bars are translucent, so an opaque rectangle below each bar hides the lines behind it.
    ...bars.flatMap(({ band, ...place }) => [
      element('rect', { ...place, fill: GROUND }),
      element('rect', { ...place, fill: COLOR, 'fill-opacity': String(BAND_STRENGTHS[band]) }),
    ]),
    ...columns.flatMap(({ x, month, year }) => [
      element('text', { ...below, x, y: monthY }, escapeText(month)),
      year === undefined ? '' : element('text', { ...below, x, y: yearY }, escapeText(year)),
    ]),
  )
}
