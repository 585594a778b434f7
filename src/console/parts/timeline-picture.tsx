import { Fragment } from 'preact'
import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { MONTH_NAMES } from '../../drawing/month-scale.ts'
import { layOutTimeline } from '../../drawing/timeline.ts'
import type { Timeline } from '../../drawing/timeline.ts'
import { toDay, toDayOfYear, toMinute } from '../../wording/times.ts'
import { STATE_WORDS, StateWord } from './marked-text.tsx'
import { ENDPOINTS, FOREVER_MS, LANES } from './timeline-of.ts'
import type {
  AnswerSpan,
  Compared,
  LaneName,
  TimelineReport,
  ShownTimeline,
} from './timeline-of.ts'

type Drawn = Timeline<TimelineReport, AnswerSpan>

interface TimelinePictureProps {
  shown: ShownTimeline
  /** Time to keep in view, in epoch milliseconds. */
  atMs: number
  /** True to keep the scroll position, even if `atMs` is out of view. */
  isStill?: boolean
  /** Time from which the playhead is animated, in epoch milliseconds; no animation if omitted. */
  fromMs?: number | undefined
  selectedId?: number | undefined
  /** Called when a bar is pressed, or reached with the up and down keys; if omitted, bars are not buttons. */
  onSelect?: ((report: TimelineReport) => void) | undefined
  surface?: (timeline: Drawn) => HTMLAttributes<HTMLDivElement>
  children?: (timeline: Drawn) => ComponentChildren
}

/** Width in pixels below which the names of the lanes are above the lanes instead of beside them. */
const NARROW = 560
const NAMES_WIDTH = 112

/** The reports of a project by month, above the answers of the two endpoints over time. A wide timeline scrolls sideways. */
export function TimelinePicture(props: TimelinePictureProps) {
  const { shown, atMs, isStill = false, fromMs, selectedId, onSelect, surface, children } = props
  const { reports, answers, playheadMs, compared } = shown
  const frame = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const whole = useWidth(frame)
  const isNarrow = whole < NARROW
  const room = isNarrow ? whole : whole - NAMES_WIDTH
  const nowMs = compared?.isNow ? compared.ms : playheadMs
  const timeline = useMemo(
    () =>
      layOutTimeline({
        reports,
        lanes: ENDPOINTS.map((endpoint) => answers[endpoint]),
        nowMs,
        room,
        hasNames: isNarrow,
      }),
    [reports, answers, nowMs, room, isNarrow],
  )
  const { scale, height, bars } = timeline
  const lanes = ENDPOINTS.map((endpoint, index) => ({ endpoint, ...timeline.lanes[index]! }))
  const [firstInView, setFirstInView] = useState(0)
  useScrollTo(scroller, scale.xOf(atMs), { isReady: whole > 0 && !isStill, timeline })
  useLayoutEffect(() => {
    if (fromMs === undefined || STILL.matches) return
    const by = scale.xOf(fromMs) - scale.xOf(playheadMs)
    if (Math.abs(by) < 1) return
    const playhead = scroller.current?.querySelector('[data-playhead]')
    playhead?.animate([{ transform: `translateX(${by}px)` }, {}], MOVING_MS)
  }, [shown, fromMs])
  const positionAt = (ms: number): HTMLAttributes<HTMLDivElement> => ({
    style: { left: `${scale.xOf(ms)}px` },
  })
  const isCurrent = (answer: AnswerSpan, ms: number): boolean =>
    answer.fromMs <= ms && ms < answer.untilMs
  return (
    <div class={`lanes ${isNarrow ? 'narrow' : ''}`} ref={frame}>
      {!isNarrow && (
        <span class="lane-name" style={{ top: '31px' }}>
          Reports
        </span>
      )}
      {lanes.map(({ endpoint, y }) => (
        <code
          key={endpoint}
          class="lane-name"
          style={{ top: `${isNarrow ? y - 18 : y + 2}px` }}
          aria-hidden="true"
        >
          {LANES[endpoint]}
        </code>
      ))}
      <div
        class="months"
        ref={scroller}
        onScroll={({ currentTarget: { scrollLeft } }) =>
          setFirstInView(Math.ceil(scrollLeft / scale.monthWidth))
        }
        // Without `children`, which would handle keys, the timeline is focusable so that keys can scroll it.
        {...(!children && { tabIndex: 0, role: 'group', 'aria-label': 'Timeline' })}
      >
        <div
          class="drawing"
          style={{ width: `${scale.width}px`, height: `${height}px` }}
          {...surface?.(timeline)}
        >
          {scale.months.map(({ x, month, year }, index) => (
            // Narrow months have no room for all names, so only January is named.
            <small key={x} class="month" style={{ left: `${x}px` }}>
              {(scale.monthWidth >= 60 || month === 0) && MONTH_NAMES[month]}
              {(month === 0 || index === firstInView) && ` ${year}`}
            </small>
          ))}
          <Bars bars={bars} selectedId={selectedId} onSelect={onSelect} />
          {lanes.map(({ endpoint, spans }) => (
            <ol key={endpoint} aria-label={LANES[endpoint]}>
              {spans.map(({ answer, x, y, width }) => {
                const when = isCurrent(answer, nowMs)
                  ? 'current'
                  : answer.fromMs > nowMs
                    ? 'coming'
                    : ''
                const isPreviewed = compared?.isNow && isCurrent(answer, playheadMs)
                return (
                  <li
                    key={answer.fromMs}
                    class={`span ${when} ${answer.number === null ? 'none' : ''} ${isPreviewed ? 'previewed' : ''}`}
                    style={{ left: `${x}px`, top: `${y}px`, width: `${width}px` }}
                    title={describeAnswer(LANES[endpoint], answer)}
                  >
                    <span>
                      {answer.number ?? '404'}
                      {when === 'current' && previousAnswer(compared, endpoint, answer)}
                      {when === 'coming' && <span> from {toDayOfYear(answer.fromMs)}</span>}
                    </span>
                  </li>
                )
              })}
            </ol>
          ))}
          {compared && compared.ms !== playheadMs && (
            <div class={`hand ${compared.isNow ? '' : 'light'}`} {...positionAt(compared.ms)} />
          )}
          <div
            class={`hand ${compared?.isNow ? 'light' : ''}`}
            {...positionAt(playheadMs)}
            data-playhead=""
          >
            <span style={{ marginLeft: `${labelShift(shown, scale)}px` }}>
              {shown.playheadLabel}
            </span>
          </div>
          {children?.(timeline)}
        </div>
      </div>
    </div>
  )
}

const STILL = matchMedia('(prefers-reduced-motion: reduce)')
const MOVING_MS = 150

/** Approximate width of a letter of the playhead's label, in pixels. */
const LETTER_WIDTH = 7

/** Returns the distance in pixels by which the playhead's label moves right, or left if negative, to stay in the drawing. */
function labelShift(
  { playheadMs, playheadLabel: { length } }: ShownTimeline,
  { xOf, width }: Drawn['scale'],
): number {
  const half = (length * LETTER_WIDTH) / 2 + 8
  const x = xOf(playheadMs)
  return Math.max(half - x, 0) - Math.max(half - (width - x), 0)
}

/** Returns a suffix with the earlier answer: `, was 18`; undefined for the same answer, and if no earlier moment is compared. */
function previousAnswer(
  compared: Compared | undefined,
  endpoint: LaneName,
  { number }: AnswerSpan,
): string | undefined {
  if (!compared || compared.isNow) return undefined
  const was = compared.answers[endpoint]
  return was === number ? undefined : `, was ${was ?? '404'}`
}

function describeAnswer(endpoint: string, { number, fromMs, untilMs }: AnswerSpan): string {
  const until = untilMs === FOREVER_MS ? '' : ` until ${toMinute(untilMs)}`
  return `${endpoint}: ${number === null ? '404' : `report ${number}`}, from ${toMinute(fromMs)}${until}`
}

interface BarsProps extends Pick<TimelinePictureProps, 'selectedId' | 'onSelect'> {
  bars: Drawn['bars']
}

/** Bars of the reports. The up and down keys move between bars, because the left and right keys move the playhead. */
function Bars({ bars, selectedId, onSelect }: BarsProps) {
  const list = useRef<HTMLDivElement>(null)
  const at = Math.max(
    bars.findIndex(({ report }) => report.id === selectedId),
    0,
  )
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const from = buttons.findIndex((button) => button === event.target)
    const index = Math.min(Math.max(from + step, 0), bars.length - 1)
    onSelect?.(bars[index]!.report)
    buttons[index]?.focus()
  }
  return (
    <div role="group" aria-label="Reports" ref={list} {...(onSelect && { onKeyDown: move })}>
      {bars.map(({ report, x, y, width }, index) => {
        const words = describeReport(report)
        const style = { left: `${x}px`, top: `${y}px`, width: `${width}px` }
        const isSelected = report.id === selectedId
        return (
          <Fragment key={report.id}>
            <div
              class={`report-bar ${report.status} ${isSelected ? 'selected' : ''} ${canBeLatest(report) ? '' : 'hollow'} ${report.isChanged ? 'changed' : ''}`}
              style={style}
              title={words}
              aria-hidden={onSelect !== undefined}
            >
              <b>{width > 60 ? `Report ${report.report_number}` : report.report_number}</b>
              <StateWord state={report.status} />
            </div>
            {/* Screen readers read the label of this button instead of the bar, whose two lines are not a sentence. */}
            {onSelect && (
              <button
                type="button"
                class="bar-button"
                style={style}
                title={words}
                aria-label={words}
                aria-pressed={isSelected}
                tabIndex={index === at ? 0 : -1}
                onClick={() => onSelect(report)}
              />
            )}
          </Fragment>
        )
      })}
    </div>
  )
}

/** Describes a report: `Report 4, pending, due 1 Dec 2026, completed 1 Dec 2026 07:42 if nothing is changed`. */
function describeReport(report: TimelineReport): string {
  const { report_number, status, date_to_create_texts: due, level, action_type } = report
  const { finishesMs, isChanged } = report
  return [
    `Report ${report_number}`,
    STATE_WORDS[status],
    due === null ? 'without a due date' : `due ${toDay(due)}`,
    ...(finishesMs === undefined
      ? []
      : [`completed ${toMinute(finishesMs)} if nothing is changed`]),
    ...(isChanged ? ['changed'] : []),
    ...(canBeLatest(report) ? [] : [`level ${level}`, `type ${action_type}`]),
  ].join(', ')
}

/** Specification 4.5: `latest` considers only regular reports at the project level. */
function canBeLatest({ level, action_type }: TimelineReport): boolean {
  return level === 'project' && action_type === 'regular'
}

/** Returns the width of an element in pixels; 0 until the element is mounted. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const current = element.current!
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(current)
    setWidth(current.clientWidth)
    return () => observer.disconnect()
  }, [])
  return width
}

/** Scrolls until the position `x`, in pixels, is in view and not near an edge. The view then begins at the start of a month. */
function useScrollTo(
  scroller: { current: HTMLElement | null },
  x: number,
  { isReady, timeline }: { isReady: boolean; timeline: Drawn },
): void {
  useEffect(() => {
    const current = scroller.current!
    if (!isReady) return
    const { scrollLeft, clientWidth } = current
    const margin = Math.min(80, clientWidth / 4)
    if (x >= scrollLeft + margin && x <= scrollLeft + clientWidth - margin) return
    const { monthWidth } = timeline.scale
    current.scrollLeft = Math.ceil((x - clientWidth * 0.6) / monthWidth) * monthWidth
  }, [x, isReady])
}
