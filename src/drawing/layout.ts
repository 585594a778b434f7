import { createMonthScale, monthAt } from './month-scale.ts'
import type { MonthScale } from './month-scale.ts'

/** A report as a timeline shows it, its fields as in the fixture's form. */
export interface TimelineReport {
  id: number
  report_number: number
  status: string
  /** Its month is where the report is drawn; where it is null, the month of `created_at`. */
  date_to_create_texts: string | null
  created_at: string
  /** One of another level than `project` or of another type than `regular` is never the latest: its bar is hollow. */
  level?: string
  action_type?: string
  /** When it finishes by itself, in epoch milliseconds: a dashed line leads there. */
  finishesMs?: number | undefined
  /** Whether it differs from the moment that this one is compared with. */
  isChanged?: boolean
}

/** A moment that another one is compared with. */
export interface Compared {
  /** In epoch milliseconds. */
  ms: number
  latest: number | null
  lastGenerated: number | null
  /**
   * Whether the world clock stands there while the playhead previews another time: the months do not change then, and the preview
   * is drawn lighter. Otherwise the clock stood there before.
   */
  isInForce: boolean
}

export interface TimelineInput {
  reports: readonly TimelineReport[]
  /** Where the playhead stands: the world clock or a time that is previewed, in epoch milliseconds. */
  playheadMs: number
  /** What is written beside the playhead. */
  playheadLabel?: string
  /** What it is compared with; its marks are drawn too if they are elsewhere. */
  compared?: Compared | undefined
  /** The width of the space for it, in pixels: a whole number of months fills it. */
  room?: number
  /** The part of it in view, in pixels from its beginning: labels stay within that. All of it where omitted. */
  inView?: Viewport
  /** The ids of the reports that `/reports/latest` and `/reports/last-generated` return; null where that is 404. */
  latest: number | null
  lastGenerated: number | null
  /** When time alone changes one of the two, in epoch milliseconds, with what is written there: two at most. */
  changes?: readonly { ms: number; text: string }[]
  /** The id of the report that is selected on the page. */
  selected?: number
}

export interface Viewport {
  from: number
  until: number
}

/** A report with its place in pixels. */
export interface PlacedReport {
  report: TimelineReport
  /** When it is due, as `dueMs` has it. */
  ms: number
  /** Where its month begins. */
  x: number
  /** The upper edge of its bar. */
  y: number
}

/** The mark of one of the two endpoints, below the report that it returns; at the edge of the view that is nearest to it. */
export interface Mark {
  /** With an arrow where the report is out of view. */
  text: string
  isLatest: boolean
  /** Whether it is not in force: previewed, or as it was before. */
  isLight: boolean
  x: number
  y: number
  width: number
  /** The lower edge of the report's bar; undefined where that is out of view. */
  fromY: number | undefined
}

/** Where everything on a timeline is, in pixels. */
export interface Layout {
  scale: MonthScale
  reports: readonly PlacedReport[]
  marks: readonly Mark[]
  /** Where the ruler's lines end. */
  bottom: number
}

const MONTH_WIDTH = 104
const WIDEST_MONTH = 180
/** The least that a report's number needs. */
const LEAST_MONTH_WIDTH = 28
const LARGEST_WIDTH = 8000
const FEWEST_MONTHS = 6
/** How many months the playhead may be away from the reports and still be drawn at its true place. */
const MOST_MONTHS_AWAY = 24

export const RULER_HEIGHT = 30
export const BAR_HEIGHT = 26
export const MARK_HEIGHT = 20
const LANE_HEIGHT = 32
const MARK_ROW_HEIGHT = 26
/** Each has a row of its own, so that nothing moves when they come to stand below each other. */
const MARK_ROWS = { latest: 0, 'last generated': 1 }
const MARK_WIDTHS = { latest: 56, 'last generated': 100 }
const ARROW_WIDTH = 16
/** The word before a mark as it was. */
const WAS = 'was '
const WAS_WIDTH = 28
/** The least distance between two marks of one row. */
const MARK_GAP = 4
/** What is written beside the line of a change. */
export const CHANGE_ROW_HEIGHT = 16

export function layOut(input: TimelineInput): Layout {
  const scale = chooseScale(input)
  const reports = placeReports(input.reports, scale)
  const lowest = Math.max(RULER_HEIGHT, ...reports.map(({ y }) => y))
  const marksY = lowest + LANE_HEIGHT + 6
  const marks = placeMarks(input, { reports, scale, marksY })
  const bottom = marksY + 2 * MARK_ROW_HEIGHT + 2 * CHANGE_ROW_HEIGHT
  return { scale, reports, marks, bottom }
}

/** The months of all reports and the playhead, and one more; far away, the playhead stands at the edge. */
function chooseScale({ reports, playheadMs, compared, room = 0 }: TimelineInput): MonthScale {
  const playhead = monthAt(compared?.isInForce ? compared.ms : playheadMs)
  const months = reports.length > 0 ? reports.map((report) => monthAt(dueMs(report))) : [playhead]
  const first = Math.min(...months)
  const last = Math.max(...months)
  const from = Math.max(Math.min(first, playhead), first - MOST_MONTHS_AWAY)
  const until = Math.min(Math.max(last, playhead), last + MOST_MONTHS_AWAY) + 1
  const count = Math.max(until - from + 1, FEWEST_MONTHS)
  const fitting = Math.floor(LARGEST_WIDTH / count)
  const inRoom = Math.min(Math.max(Math.floor(room / MONTH_WIDTH), 1), count)
  const filling = Math.min(Math.max(Math.floor(room / inRoom), MONTH_WIDTH), WIDEST_MONTH)
  const monthWidth = Math.max(Math.min(fitting, filling), LEAST_MONTH_WIDTH)
  return createMonthScale(from, from + count - 1, monthWidth)
}

/** When a report is due; when it was created where it has no such date. In epoch milliseconds. */
export function dueMs({ date_to_create_texts, created_at }: TimelineReport): number {
  return Date.parse(date_to_create_texts ?? created_at)
}

/** Reports of the same month stand below each other, by date. */
function placeReports(reports: readonly TimelineReport[], scale: MonthScale): PlacedReport[] {
  const counts = new Map<number, number>()
  return reports
    .map((report) => ({ report, ms: dueMs(report) }))
    .toSorted((one, other) => one.ms - other.ms || one.report.id - other.report.id)
    .map(({ report, ms }) => {
      const x = Math.floor(scale.xOf(ms) / scale.monthWidth) * scale.monthWidth
      const lane = counts.get(x) ?? 0
      counts.set(x, lane + 1)
      return { report, ms, x, y: RULER_HEIGHT + 2 + lane * LANE_HEIGHT }
    })
}

function placeMarks(
  { latest, lastGenerated, compared, inView }: TimelineInput,
  { reports, scale, marksY }: Pick<Layout, 'reports' | 'scale'> & { marksY: number },
): Mark[] {
  const { from, until } = inView ?? { from: 0, until: scale.width }
  const toMark = (
    id: number | null | undefined,
    name: keyof typeof MARK_WIDTHS,
    kind: { isLight: boolean; isPast?: boolean },
  ): Mark | undefined => {
    const below = reports.find(({ report }) => report.id === id)
    if (!below) return undefined
    const { isLight, isPast = false } = kind
    const middle = below.x + scale.monthWidth / 2
    const [before, after] = [middle < from ? '← ' : '', middle > until ? ' →' : '']
    const isOutside = before + after !== ''
    const width = MARK_WIDTHS[name] + (isOutside ? ARROW_WIDTH : 0) + (isPast ? WAS_WIDTH : 0)
    return {
      text: before + (isPast ? WAS : '') + name + after,
      isLatest: name === 'latest',
      isLight,
      x: Math.max(Math.min(middle - width / 2, until - width - 2), from + 2),
      y: marksY + MARK_ROWS[name] * MARK_ROW_HEIGHT,
      width,
      fromY: isOutside ? undefined : below.y + BAR_HEIGHT,
    }
  }
  const isPreview = compared?.isInForce === true
  const inRow = (
    name: keyof typeof MARK_WIDTHS,
    id: number | null,
    other: number | null | undefined,
  ): Mark[] => {
    const mark = toMark(id, name, { isLight: isPreview })
    const beside =
      other === id ? undefined : toMark(other, name, { isLight: !isPreview, isPast: !isPreview })
    if (!beside) return mark ? [mark] : []
    // Of two marks in a row, that of the other moment gives way; one that does not fit into the view is
    // left out.
    const x = mark ? besideOf(beside, mark) : beside.x
    const isFitting = beside.fromY !== undefined && x >= from && x + beside.width <= until
    return [...(isFitting ? [{ ...beside, x }] : []), ...(mark ? [mark] : [])]
  }
  return [
    ...inRow('latest', latest, compared?.latest),
    ...inRow('last generated', lastGenerated, compared?.lastGenerated),
  ]
}

/** Where a mark begins that gives way to another one of its row. */
function besideOf(mark: Mark, other: Mark): number {
  return mark.x < other.x
    ? Math.min(mark.x, other.x - mark.width - MARK_GAP)
    : Math.max(mark.x, other.x + other.width + MARK_GAP)
}
