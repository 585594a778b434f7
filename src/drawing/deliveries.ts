import { monthAt, startOf } from './month-scale.ts'
import { drawing, element, escapeText } from './svg.ts'

/** A row of the chart: the delivery of one report. */
export interface Delivery {
  label: string
  /** In epoch milliseconds; null if unknown. */
  finishedMs: number | null
  /** In epoch milliseconds; null if the report was never fetched. */
  fetchedMs: number | null
  /** Text at the end of the row. `delivered` is drawn as a success, any other text as a failure. */
  state: string
}

const LABEL_WIDTH = 170
const PLOT_WIDTH = 440
const STATE_WIDTH = 90
const PLOT_MARGIN = 10
const ROW_HEIGHT = 22
const AXIS_HEIGHT = 26
const WIDTH = LABEL_WIDTH + PLOT_WIDTH + STATE_WIDTH

const INK = 'var(--text, #1d2329)'
const QUIET = 'var(--quiet, #5b6670)'
const LINE = 'var(--line, #dde2e6)'
const GROUND = 'var(--page, #fff)'
const GOOD = 'var(--passed, #187a4b)'
const BAD = 'var(--failed, #b3261e)'

/**
 * Draws a row for each report: a ring at the time it was finished, a dot at the time it was first fetched, and a line between
 * them. If the finishing time is unknown, the line begins at the left edge. If the report was never fetched, the line is dashed
 * and runs to the right edge. Returns an `<svg>`.
 */
export function drawDeliveries(deliveries: readonly Delivery[], label: string): string {
  const axis = createAxis(deliveries)
  const height = AXIS_HEIGHT + deliveries.length * ROW_HEIGHT + 6
  return drawing(
    { width: WIDTH, height, label, fontSize: 12 },
    ...axis.ticks.map(({ ms, label: text }) => drawTick(axis.xOf(ms), text, height)),
    ...deliveries.map((delivery, row) => drawRow(delivery, AXIS_HEIGHT + row * ROW_HEIGHT, axis)),
  )
}

interface Axis {
  xOf: (ms: number) => number
  ticks: readonly Tick[]
}

function createAxis(deliveries: readonly Delivery[]): Axis {
  const times = deliveries
    .flatMap(({ finishedMs, fetchedMs }) => [finishedMs, fetchedMs])
    .filter((ms) => ms !== null)
  if (times.length === 0) return { xOf: () => LABEL_WIDTH, ticks: [] }
  const fromMs = times.reduce((one, other) => Math.min(one, other))
  const untilMs = times.reduce((one, other) => Math.max(one, other))
  const room = PLOT_WIDTH - 2 * PLOT_MARGIN
  const spanMs = Math.max(untilMs - fromMs, 1)
  return {
    xOf: (ms) => LABEL_WIDTH + PLOT_MARGIN + ((ms - fromMs) / spanMs) * room,
    ticks: ticksOf(fromMs, untilMs),
  }
}

function drawTick(x: number, text: string, height: number): string {
  return (
    element('path', { d: `M${x.toFixed(1)} ${AXIS_HEIGHT - 4}V${height}`, stroke: LINE }) +
    element('text', { x, y: AXIS_HEIGHT - 12, 'text-anchor': 'middle', fill: QUIET }, text)
  )
}

function drawRow(delivery: Delivery, top: number, { xOf }: Axis): string {
  const { label, finishedMs, fetchedMs, state } = delivery
  const y = top + ROW_HEIGHT / 2
  const color = state === 'delivered' ? GOOD : BAD
  const from = finishedMs === null ? LABEL_WIDTH : xOf(finishedMs)
  const until = fetchedMs === null ? LABEL_WIDTH + PLOT_WIDTH : xOf(fetchedMs)
  const place = { cy: y, 'stroke-width': 2 }
  return element(
    'g',
    {},
    element('text', { x: 0, y: y + 4, fill: INK }, escapeText(label)),
    element('path', {
      d: `M${from.toFixed(1)} ${y}H${until.toFixed(1)}`,
      stroke: color,
      'stroke-width': 2,
      'stroke-dasharray': fetchedMs === null ? '3 4' : undefined,
    }),
    finishedMs === null
      ? ''
      : element('circle', { ...place, cx: from, r: 5, fill: GROUND, stroke: color }),
    fetchedMs === null ? '' : element('circle', { ...place, cx: until, r: 4, fill: color }),
    element('text', { x: LABEL_WIDTH + PLOT_WIDTH + 12, y: y + 4, fill: color }, escapeText(state)),
  )
}

interface Tick {
  ms: number
  label: string
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const STEPS_MS = [
  ...[1, 5, 15].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7].map((days) => days * DAY_MS),
]

const STEPS_IN_MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 600, 1200, 12_000, 24_000]

const MAXIMUM_STEPS = 6

/**
 * Returns up to seven ticks at round UTC times, such as full hours, between two times. If the times are more than six weeks
 * apart, each tick is the start of a month.
 */
export function ticksOf(fromMs: number, untilMs: number): Tick[] {
  const step = STEPS_MS.find((ms) => (untilMs - fromMs) / ms <= MAXIMUM_STEPS)
  if (step === undefined) return monthTicks(fromMs, untilMs)
  const ticks: Tick[] = []
  for (let ms = Math.ceil(fromMs / step) * step; ms <= untilMs; ms += step) {
    ticks.push({ ms, label: labelOf(ms, step) })
  }
  return ticks
}

function monthTicks(fromMs: number, untilMs: number): Tick[] {
  const [first, last] = [monthAt(fromMs), monthAt(untilMs)]
  const step =
    STEPS_IN_MONTHS.find((months) => (last - first) / months <= MAXIMUM_STEPS) ?? Infinity
  const ticks: Tick[] = []
  for (let month = Math.ceil((first + 1) / step) * step; month <= last; month += step) {
    const ms = startOf(month)
    ticks.push({ ms, label: new Date(ms).toISOString().replace(/-\d\dT.*/, '') })
  }
  return ticks
}

function labelOf(ms: number, step: number): string {
  const text = new Date(ms).toISOString()
  if (step >= DAY_MS) return text.replace(/T.*/, '')
  return step >= MINUTE_MS ? text.slice(-19, -8).replace('T', ' ') : text.slice(-13, -5)
}
