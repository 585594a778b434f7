import { createMonthScale, monthAt } from './month-scale.ts'
import type { MonthScale } from './month-scale.ts'

interface DatedReport {
  id: number
  /** Date that decides the month of the report; if null, `created_at` decides. */
  date_to_create_texts: string | null
  created_at: string
}

/** A period during which an endpoint gives the same answer, in epoch milliseconds. `untilMs` is exclusive. */
export interface Span {
  fromMs: number
  untilMs: number
}

interface TimelineInput<Report, Answer> {
  reports: readonly Report[]
  /** Answers over time, one lane per endpoint. */
  lanes: readonly (readonly Answer[])[]
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** Available width in pixels, to be filled with a whole number of months; 0 if omitted. */
  room?: number
  /** True to leave space for a name above each lane; false if omitted. */
  hasNames?: boolean
}

/** Layout of a timeline, in pixels. */
export interface Timeline<Report, Answer> {
  scale: MonthScale
  height: number
  /** Reports, the earliest first. */
  bars: readonly ({ report: Report } & Box)[]
  lanes: readonly { y: number; spans: readonly ({ answer: Answer } & Box)[] }[]
}

interface Box {
  x: number
  y: number
  width: number
}

const MONTH_WIDTH = 112
const MAXIMUM_MONTH_WIDTH = 180
/** In pixels: wide enough for the number of a report. */
const MINIMUM_MONTH_WIDTH = 28
const MAXIMUM_WIDTH = 8000
const MINIMUM_MONTHS = 6
/** Maximum distance of the playhead from the reports, in months. The playhead of a more distant clock is drawn at the edge. */
const MAXIMUM_MONTHS_AWAY = 24
/** Gap between bars, and between the spans of a lane, in pixels. */
const GAP = 4

// Heights in pixels. `console/styles/parts.css` repeats those of bars, lanes and names.
const MONTHS_HEIGHT = 20
const BAR_HEIGHT = 42
const LANE_HEIGHT = 22
const NAME_HEIGHT = 18
const LANE_GAP = 8
const FOOT_HEIGHT = 28

/** Lays out the reports of a project by month, with the lanes of the endpoints below them. */
export function layOutTimeline<Report extends DatedReport, Answer extends Span>(
  input: TimelineInput<Report, Answer>,
): Timeline<Report, Answer> {
  const { hasNames = false } = input
  const scale = chooseScale(input)
  const bars = placeReports(input.reports, scale)
  const lowest = Math.max(MONTHS_HEIGHT, ...bars.map(({ y }) => y))
  const beginning = lowest + BAR_HEIGHT
  const step = LANE_GAP + LANE_HEIGHT + (hasNames ? NAME_HEIGHT : 0)
  const lanes = input.lanes.map((answers, index) => {
    const y = beginning + (index + 1) * step - LANE_HEIGHT
    return { y, spans: answers.flatMap((answer) => placeSpan(answer, y, scale)) }
  })
  return { scale, bars, lanes, height: beginning + lanes.length * step + FOOT_HEIGHT }
}

/**
 * Returns a scale of at least `MINIMUM_MONTHS` that covers the reports, the world clock, and one more month. To reach the clock, it
 * extends at most `MAXIMUM_MONTHS_AWAY` beyond the reports.
 */
function chooseScale({
  reports,
  nowMs,
  room = 0,
}: Pick<TimelineInput<DatedReport, Span>, 'reports' | 'nowMs' | 'room'>): MonthScale {
  const now = monthAt(nowMs)
  const months = reports.length > 0 ? reports.map((report) => monthAt(dueMs(report))) : [now]
  const first = Math.min(...months)
  const last = Math.max(...months)
  const from = Math.max(Math.min(first, now), first - MAXIMUM_MONTHS_AWAY)
  const until = Math.min(Math.max(last, now), last + MAXIMUM_MONTHS_AWAY) + 1
  const count = Math.max(until - from + 1, MINIMUM_MONTHS)
  const fitting = Math.floor(MAXIMUM_WIDTH / count)
  const inRoom = Math.min(Math.max(Math.floor(room / MONTH_WIDTH), 1), count)
  const filling = Math.min(Math.max(Math.floor(room / inRoom), MONTH_WIDTH), MAXIMUM_MONTH_WIDTH)
  const monthWidth = Math.max(Math.min(fitting, filling), MINIMUM_MONTH_WIDTH)
  return createMonthScale(from, from + count - 1, monthWidth)
}

/** Returns the `date_to_create_texts` of a report or, if that is null, its `created_at`, in epoch milliseconds. */
export function dueMs({ date_to_create_texts, created_at }: Omit<DatedReport, 'id'>): number {
  return Date.parse(date_to_create_texts ?? created_at)
}

/** Stacks the reports of each month, the earliest on top. */
function placeReports<Report extends DatedReport>(reports: readonly Report[], scale: MonthScale) {
  const counts = new Map<number, number>()
  return reports
    .map((report) => ({ report, ms: dueMs(report) }))
    .toSorted((one, other) => one.ms - other.ms || one.report.id - other.report.id)
    .map(({ report, ms }) => {
      const x = Math.floor(scale.xOf(ms) / scale.monthWidth) * scale.monthWidth
      const row = counts.get(x) ?? 0
      counts.set(x, row + 1)
      const y = MONTHS_HEIGHT + row * (BAR_HEIGHT + GAP)
      return { report, x, y, width: scale.monthWidth - GAP }
    })
}

function placeSpan<Answer extends Span>(answer: Answer, y: number, { xOf }: MonthScale) {
  const [x, end] = [xOf(answer.fromMs), xOf(answer.untilMs)]
  return end > x ? [{ answer, x, y, width: Math.max(end - x - GAP, 1) }] : []
}
