import { BAR_HEIGHT, layOut, MARK_HEIGHT, RULER_HEIGHT } from './layout.ts'
import type { Layout, Mark, PlacedReport, TimelineInput } from './layout.ts'
import type { MonthScale } from './month-scale.ts'
import { element, escapeText } from './svg.ts'

/** A timeline with its size in pixels, and its scale for a page that lets the playhead be dragged. */
export interface Timeline {
  /** An `<svg>`. Its colours are the custom properties of the page, each with a fallback. */
  svg: string
  width: number
  height: number
  scale: MonthScale
}

const FOOT_HEIGHT = 26

const MONTH_NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const INK = 'var(--ink, #1c1d1f)'
const SOFT = 'var(--soft, #5d6066)'
const LINE = 'var(--line, #e2e2dd)'
const ACCENT = 'var(--accent, #2453d6)'
const ON_ACCENT = 'var(--on-accent, #fff)'
const GROUND = 'var(--raised, #fff)'

const STATUS_COLORS: Record<string, string> = {
  pending: 'var(--pending, #6b6f76)',
  running: 'var(--running, #8a5a00)',
  completed: 'var(--completed, #187a4b)',
  failed: 'var(--failed, #b3261e)',
}

/**
 * Draws the reports of a project over the months in which they are due, the world clock as a playhead, and what
 * `/reports/latest` and `/reports/last-generated` return (specification 4.5, 4.6).
 */
export function drawTimeline(input: TimelineInput): Timeline {
  const layout = layOut(input)
  const { scale, reports, marks, bottom } = layout
  const { width } = scale
  const height = bottom + FOOT_HEIGHT
  const svg = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-label': describeTimeline(input, scale),
      'font-size': 11.5,
    },
    drawRuler(layout),
    ...marks.map(drawLeader),
    ...reports.map((placed) => drawReport(placed, scale, placed.report.id === input.selected)),
    ...(input.changesMs ?? []).map((ms) => drawChange(scale.xOf(ms), layout)),
    drawPlayhead(input, layout),
    ...marks.map(drawMark),
  )
  return { svg, width, height, scale }
}

function drawRuler({ scale: { months, width, monthWidth }, bottom }: Layout): string {
  const lines = months.map(({ x }) => `M${x + 0.5} ${RULER_HEIGHT - 4}V${bottom}`).join('')
  return element(
    'g',
    {},
    element('path', { d: `${lines}M0 ${bottom + 0.5}H${width}`, stroke: LINE }),
    ...months.map(({ x, month, year }, index) => {
      const name = MONTH_NAMES[month] ?? ''
      const isLong = month === 0 || index === 0
      // Narrow months have room for the name of every January alone.
      if (monthWidth < 60 && month !== 0) return ''
      const label = isLong ? `${name} ${year}` : name
      return element('text', { x: x + 6, y: RULER_HEIGHT - 12, fill: SOFT }, label)
    }),
  )
}

function drawReport(
  { report, ms, x, y }: PlacedReport,
  { monthWidth, xOf }: MonthScale,
  isSelected: boolean,
): string {
  const { id, report_number, status, date_to_create_texts: due } = report
  const color = STATUS_COLORS[status] ?? SOFT
  const [left, width] = [x + 4, monthWidth - 8]
  const bar = { x: left, y, width, height: BAR_HEIGHT, rx: 6 }
  const dueX = Math.min(Math.max(xOf(ms), left + 3), left + width - 3)
  const label = monthWidth < 84 ? String(report_number) : `${report_number} ${status}`
  const tooltip = `Report ${report_number}, ${status}, ${due === null ? 'without a due date' : `due ${due}`}`
  return element(
    'g',
    { 'data-report': id },
    element('title', {}, escapeText(tooltip)),
    // The ground hides the lines behind a bar, which is half transparent.
    element('rect', { ...bar, fill: GROUND }),
    element('rect', {
      ...bar,
      fill: color,
      'fill-opacity': 0.16,
      ...outlineOf(report, color, isSelected),
    }),
    due === null
      ? ''
      : element('path', {
          d: `M${dueX} ${y + BAR_HEIGHT - 5}v5`,
          stroke: color,
          'stroke-width': 2,
        }),
    element('text', { x: x + 12, y: y + 17, fill: color, 'font-weight': 600 }, escapeText(label)),
  )
}

/** A report that is selected has a line around it, one without a due date a dashed line. */
function outlineOf(
  { date_to_create_texts: due }: PlacedReport['report'],
  color: string,
  isSelected: boolean,
): Record<string, string | number> {
  if (isSelected) return { stroke: ACCENT, 'stroke-width': 2 }
  return due === null ? { stroke: color, 'stroke-dasharray': '3 3' } : {}
}

function drawLeader({ x, y, width, fromY, isLatest }: Mark): string {
  const d = `M${x + width / 2} ${fromY}V${y}`
  return element('path', { d, stroke: isLatest ? ACCENT : SOFT, 'stroke-width': 1.5 })
}

function drawMark({ text, x, y, width, isLatest }: Mark): string {
  const shape = { x, y, width, height: MARK_HEIGHT, rx: MARK_HEIGHT / 2 }
  const place = { x: x + width / 2, y: y + 14, 'text-anchor': 'middle' }
  return element(
    'g',
    {},
    element('rect', {
      ...shape,
      ...(isLatest ? { fill: ACCENT } : { fill: GROUND, stroke: SOFT }),
    }),
    isLatest
      ? element('text', { ...place, fill: ON_ACCENT, 'font-weight': 600 }, text)
      : element('text', { ...place, fill: INK }, text),
  )
}

function drawChange(x: number, { scale: { width }, bottom }: Layout): string {
  const d = `M${x} ${RULER_HEIGHT - 2}V${bottom}`
  return element(
    'g',
    {},
    element('path', { d, stroke: ACCENT, 'stroke-dasharray': '3 4' }),
    element('text', { ...beside(x, 90, width), y: bottom - 6, fill: ACCENT }, 'changes here'),
  )
}

function drawPlayhead(
  { playheadMs, playheadLabel = '' }: TimelineInput,
  { scale: { xOf, width }, bottom }: Layout,
): string {
  const x = xOf(playheadMs)
  const foot = bottom + 6
  return element(
    'g',
    { 'data-playhead': '' },
    element('path', { d: `M${x} ${RULER_HEIGHT - 2}V${foot}`, stroke: ACCENT, 'stroke-width': 2 }),
    element('path', { d: `M${x - 8} ${foot}h16l-8 11z`, fill: ACCENT }),
    element(
      'text',
      { ...beside(x, 230, width), y: foot + 11, fill: ACCENT, 'font-weight': 600 },
      escapeText(playheadLabel),
    ),
  )
}

/** To the right of a line, or to its left where there is no room. */
function beside(x: number, needed: number, width: number): Record<string, string | number> {
  return x + needed > width ? { x: x - 12, 'text-anchor': 'end' } : { x: x + 12 }
}

function describeTimeline({ reports, playheadMs }: TimelineInput, { months }: MonthScale): string {
  const span = [months[0], months.at(-1)]
    .map((one) => one && `${MONTH_NAMES[one.month]} ${one.year}`)
    .join(' to ')
  const day = new Date(playheadMs).toISOString().slice(0, 10)
  const count = reports.length === 1 ? '1 report' : `${reports.length} reports`
  return `${count}, ${span}; the playhead is at ${day}`
}
