import { drawing, element, escapeText } from './svg.ts'

/** A cell of a calendar, usually a day. */
export interface CalendarCell {
  tone: 'passed' | 'warning' | 'failed'
  fill: 'whole' | 'hole' | 'outline'
  title: string
}

export interface CalendarRow {
  label: string
  cells: readonly CalendarCell[]
}

const LABEL_WIDTH = 80
const CELL = 16
const SIZE = 12
const QUIET = 'var(--quiet, #5b6670)'
const COLORS: Record<CalendarCell['tone'], string> = {
  passed: 'var(--passed, #187a4b)',
  warning: 'var(--warning, #8a5a00)',
  failed: 'var(--failed, #b3261e)',
}
const HOLE = { whole: 0, hole: 4, outline: 8 }

/** Draws a calendar, usually with one row per month. Returns an `<svg>`. */
export function drawCalendar(rows: readonly CalendarRow[], label: string): string {
  const longest = Math.max(...rows.map(({ cells }) => cells.length))
  const size = { width: LABEL_WIDTH + longest * CELL, height: rows.length * CELL }
  return drawing({ ...size, label, fontSize: 12 }, ...rows.map(drawRow))
}

function drawRow({ label, cells }: CalendarRow, row: number): string {
  const top = row * CELL
  const name = element('text', { x: 0, y: top + SIZE, fill: QUIET }, escapeText(label))
  return name + cells.map((cell, column) => drawCell(cell, column, top)).join('')
}

function drawCell({ tone, fill, title }: CalendarCell, column: number, top: number): string {
  const left = LABEL_WIDTH + column * CELL
  const hole = HOLE[fill]
  const inset = (SIZE - hole) / 2
  const square = `M${left} ${top + 2}h${SIZE}v${SIZE}h-${SIZE}z`
  const inner = hole === 0 ? '' : `M${left + inset} ${top + 2 + inset}h${hole}v${hole}h-${hole}z`
  return element(
    'path',
    { d: square + inner, fill: COLORS[tone], 'fill-rule': 'evenodd' },
    element('title', {}, escapeText(title)),
  )
}
