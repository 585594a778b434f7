import { BAR_HEIGHT, CHANGE_ROW_HEIGHT, layOut, MARK_HEIGHT, RULER_HEIGHT } from './layout.ts'
import type {
  Layout,
  Mark,
  PlacedReport,
  TimelineInput,
  TimelineReport,
  Viewport,
} from './layout.ts'
import { MONTH_NAMES } from './month-scale.ts'
import type { MonthScale } from './month-scale.ts'
import { drawing, element, escapeText } from './svg.ts'

/** A timeline with its size in pixels, and its scale for a page that lets the playhead be dragged. */
export interface DrawnTimeline {
  /** An `<svg>`. Its colours are the custom properties of the page, each with a fallback. */
  svg: string
  width: number
  height: number
  scale: MonthScale
  /** Where the reports are, by date, for a page that lets one be chosen. */
  bars: readonly Bar[]
}

/** The place of a report's bar in pixels. */
type Bar = { report: TimelineReport } & ReturnType<typeof barOf>

const FOOT_HEIGHT = 36

/** The approximate width of a letter of a label, in pixels. */
const LETTER_WIDTH = 7

const INK = 'var(--ink, #1c1d1f)'
const SOFT = 'var(--soft, #5d6066)'
const LINE = 'var(--line, #e2e2dd)'
const ACCENT = 'var(--accent, #2453d6)'
const ON_ACCENT = 'var(--on-accent, #fff)'
const GROUND = 'var(--raised, #fff)'

/** Keeps a label readable where a line crosses it. */
const HALO = { stroke: GROUND, 'stroke-width': 6, 'paint-order': 'stroke' }

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
export function drawTimeline(input: TimelineInput): DrawnTimeline {
  const layout = layOut(input)
  const { scale, reports, marks, bottom } = layout
  const { width } = scale
  const height = bottom + FOOT_HEIGHT
  const { changes = [], compared, inView = { from: 0, until: width } } = input
  const svg = drawing(
    { width, height, label: describeTimeline(input, scale), fontSize: 11.5 },
    drawRuler(layout, inView),
    ...changes.map(({ ms }) => drawChange(scale.xOf(ms), bottom)),
    compared && compared.ms !== input.playheadMs
      ? drawHand(compared.ms, layout, !compared.isInForce)
      : '',
    element(
      'g',
      { 'data-playhead': '' },
      drawHand(input.playheadMs, layout, compared?.isInForce === true),
    ),
    ...marks.map(drawLeader),
    ...reports.map((placed) => drawFinish(placed, scale, input.playheadMs)),
    ...reports.map((placed) => drawReport(placed, scale, placed.report.id === input.selected)),
    ...marks.map(drawMark),
    // Above every line.
    ...changes.map(({ ms, text }, row) => {
      const y = bottom - 6 - (1 - row) * CHANGE_ROW_HEIGHT
      return drawLabel(text, { ...beside(scale.xOf(ms), text, inView), y })
    }),
    drawPlayheadLabel(input, layout, inView),
  )
  const bars = reports.map((placed) => ({ report: placed.report, ...barOf(placed, scale) }))
  return { svg, width, height, scale, bars }
}

function barOf({ x, y }: PlacedReport, { monthWidth }: MonthScale) {
  return { x: x + 4, y, width: monthWidth - 8, height: BAR_HEIGHT }
}

function drawRuler(
  { scale: { months, width, monthWidth }, bottom }: Layout,
  { from }: Viewport,
): string {
  const first = months.find(({ x }) => x >= from)
  const lines = months.map(({ x }) => `M${x + 0.5} ${RULER_HEIGHT - 4}V${bottom}`).join('')
  return element(
    'g',
    {},
    element('path', { d: `${lines}M0 ${bottom + 0.5}H${width}`, stroke: LINE }),
    ...months.map(({ x, month, year }) => {
      const name = MONTH_NAMES[month] ?? ''
      const isLong = month === 0 || x === first?.x
      // Narrow months only have room for the name of every January.
      if (monthWidth < 60 && month !== 0) return ''
      const label = isLong ? `${name} ${year}` : name
      return element('text', { x: x + 6, y: RULER_HEIGHT - 12, fill: SOFT }, label)
    }),
  )
}

function drawReport(placed: PlacedReport, scale: MonthScale, isSelected: boolean): string {
  const { report, ms, x, y } = placed
  const { id, report_number, status, date_to_create_texts: due } = report
  const color = STATUS_COLORS[status] ?? SOFT
  const bar = { ...barOf(placed, scale), rx: 6 }
  const dueX = Math.min(Math.max(scale.xOf(ms), bar.x + 3), bar.x + bar.width - 3)
  const label = scale.monthWidth < 84 ? String(report_number) : `${report_number} ${status}`
  return element(
    'g',
    { 'data-report': id },
    element('title', {}, escapeText(describeTimelineReport(report))),
    // The background hides the lines behind a bar, which is half transparent.
    element('rect', { ...bar, fill: GROUND }),
    element('rect', {
      ...bar,
      fill: color,
      'fill-opacity': canBeLatest(report) ? 0.16 : 0,
      ...outlineOf(report, color, isSelected),
    }),
    due === null
      ? ''
      : element('path', {
          d: `M${dueX} ${y + BAR_HEIGHT - 5}v5`,
          stroke: color,
          'stroke-width': 2,
        }),
    element('text', { x: x + 10, y: y + 17, fill: color, 'font-weight': 600 }, escapeText(label)),
    report.isChanged === true
      ? element('circle', {
          cx: bar.x + bar.width - 2,
          cy: y + 2,
          r: 4,
          fill: ACCENT,
          stroke: GROUND,
        })
      : '',
  )
}

/** A dashed line below the bars, from a time to the moment at which a report finishes by itself. */
function drawFinish({ report, y }: PlacedReport, { xOf }: MonthScale, fromMs: number): string {
  const { finishesMs = fromMs, status } = report
  if (finishesMs <= fromMs) return ''
  const stroke = STATUS_COLORS[status] ?? SOFT
  const line = { stroke, 'stroke-width': 1.5 }
  const [x, cy] = [xOf(finishesMs), y + BAR_HEIGHT + 3]
  return (
    element('path', { d: `M${xOf(fromMs)} ${cy}H${x}`, 'stroke-dasharray': '4 3', ...line }) +
    element('circle', { cx: x, cy, r: 2.5, fill: GROUND, ...line })
  )
}

/** A report as a sentence has it: `Report 4, pending, due 2026-12-01, finishes by itself 2026-12-01 07:42`. */
export function describeTimelineReport(report: TimelineReport): string {
  const {
    report_number,
    status,
    date_to_create_texts: due,
    level,
    action_type,
    finishesMs,
  } = report
  return [
    `Report ${report_number}`,
    status,
    due === null ? 'without a due date' : `due ${due}`,
    ...(finishesMs === undefined ? [] : [`finishes by itself ${toMinute(finishesMs)}`]),
    ...(report.isChanged === true ? ['changed'] : []),
    ...(canBeLatest(report) ? [] : [`level ${level}`, `type ${action_type}`]),
  ].join(', ')
}

function toMinute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

/** Specification 4.5: `latest` considers regular reports of the project's level alone. */
function canBeLatest({ level = 'project', action_type = 'regular' }: TimelineReport): boolean {
  return level === 'project' && action_type === 'regular'
}

/** A report that is selected has a line around it, one without a due date a dashed line. */
function outlineOf(report: TimelineReport, color: string, isSelected: boolean) {
  if (isSelected) return { stroke: ACCENT, 'stroke-width': 2 }
  if (report.date_to_create_texts === null) return { stroke: color, 'stroke-dasharray': '3 3' }
  return canBeLatest(report) ? {} : { stroke: color }
}

function drawLeader({ x, y, width, fromY, isLatest }: Mark): string {
  if (fromY === undefined) return ''
  const d = `M${x + width / 2} ${fromY}V${y}`
  return element('path', { d, stroke: isLatest ? ACCENT : SOFT, 'stroke-width': 1.5 })
}

function drawMark({ text, x, y, width, isLatest, isLight }: Mark): string {
  const shape = { x, y, width, height: MARK_HEIGHT, rx: MARK_HEIGHT / 2 }
  const place = { x: x + width / 2, y: y + 14, 'text-anchor': 'middle' }
  const stroke = isLatest ? ACCENT : SOFT
  const isFilled = isLatest && !isLight
  return element(
    'g',
    {},
    element('rect', {
      ...shape,
      ...(isFilled ? { fill: ACCENT } : { fill: GROUND, stroke }),
      'stroke-dasharray': isLight ? '3 2' : undefined,
    }),
    isLatest
      ? element('text', { ...place, fill: isFilled ? ON_ACCENT : ACCENT, 'font-weight': 600 }, text)
      : element('text', { ...place, fill: INK }, text),
  )
}

function drawChange(x: number, bottom: number): string {
  const d = `M${x} ${RULER_HEIGHT - 2}V${bottom}`
  return element('path', { d, stroke: ACCENT, 'stroke-dasharray': '3 4' })
}

function drawLabel(text: string, attributes: Parameters<typeof element>[1]): string {
  return element('text', { ...attributes, fill: ACCENT, ...HALO }, escapeText(text))
}

/** Below the handle, where no line is. */
function drawPlayheadLabel(
  { playheadMs, playheadLabel = '' }: TimelineInput,
  { scale, bottom }: Layout,
  { from, until }: Viewport,
): string {
  const half = (playheadLabel.length * LETTER_WIDTH) / 2
  const at = scale.xOf(playheadMs)
  const isInView = at >= from && at <= until
  const x = isInView ? Math.max(Math.min(at, until - half), from + half) : at
  const place = { x, y: bottom + 31, 'text-anchor': 'middle' }
  return drawLabel(playheadLabel, { ...place, 'font-weight': 600 })
}

/** The line at a time, and its handle; lighter for a time that is not in force. */
function drawHand(ms: number, { scale: { xOf }, bottom }: Layout, isLight: boolean): string {
  const x = xOf(ms)
  const foot = bottom + 6
  const [line, handle] = isLight
    ? [{ 'stroke-dasharray': '5 3' }, { fill: GROUND, stroke: ACCENT, 'stroke-width': 1.5 }]
    : [{}, { fill: ACCENT }]
  return (
    element('path', {
      d: `M${x} ${RULER_HEIGHT - 2}V${foot}`,
      stroke: ACCENT,
      'stroke-width': isLight ? 1.5 : 2,
      ...line,
    }) + element('path', { d: `M${x - 8} ${foot}h16l-8 11z`, ...handle })
  )
}

/** To the right of a line, or to its left where there is no room. */
function beside(x: number, { length }: string, { from, until }: Viewport) {
  const needed = length * LETTER_WIDTH + 8
  const isLeft = x + needed > until && x - needed >= from
  return isLeft ? { x: x - 8, 'text-anchor': 'end' } : { x: x + 8 }
}

function describeTimeline({ reports, playheadMs }: TimelineInput, { months }: MonthScale): string {
  const span = [months[0], months.at(-1)]
    .map((one) => one && `${MONTH_NAMES[one.month]} ${one.year}`)
    .join(' to ')
  const day = new Date(playheadMs).toISOString().slice(0, 10)
  const count = reports.length === 1 ? '1 report' : `${reports.length} reports`
  return `${count}, ${span}; the playhead is at ${day}`
}
