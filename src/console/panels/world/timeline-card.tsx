import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { describeReport, drawTimeline } from '../../../drawing/timeline.ts'
import type { Timeline } from '../../../drawing/timeline.ts'
import type { Explanation } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { toDay } from '../../parts/times.ts'
import { clocks } from '../../state/clock.ts'
import { navigate } from '../../state/location.ts'
import { Playhead } from './playhead.tsx'
import type { Preview } from './preview.ts'
import { createNext, LAST_REPORT } from './report-steps.ts'

interface TimelineCardProps {
  /** As it is now. */
  explanation: Explanation
  preview: Preview
  /** The id of the report that is selected. */
  selected: number | undefined
}

/** The reports of a project over the months, and the world clock to be dragged. */
export function TimelineCard({ explanation, preview, selected }: TimelineCardProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const room = useRoom(scroller)
  const previewMs = preview.atMs.value
  const shown = (previewMs === null ? null : preview.explanation.value) ?? explanation
  const nowMs = clocks.value?.worldMs ?? Date.parse(explanation.now)
  // A second is nothing that a month shows; drawing it again would be work for each.
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000
  const [left, setLeft] = useState(0)
  const timeline = useMemo(
    () => draw({ shown, minuteMs, previewMs, selected, room, left }),
    [shown, minuteMs, previewMs, selected, room, left],
  )
  const playheadX = timeline.scale.xOf(previewMs ?? nowMs)
  useOpenAt(scroller, playheadX, { isReady: room > 0 && !preview.isDragged, timeline })
  const last = Math.max(...explanation.latest.candidates.map(({ report }) => report.report_number))
  return (
    <section class="card timeline" aria-label="Timeline">
      <div
        class="months"
        ref={scroller}
        onScroll={() => setLeft(scroller.current?.scrollLeft ?? 0)}
      >
        <div
          class="drawing"
          style={{ width: `${timeline.width}px`, height: `${timeline.height}px` }}
        >
          {/* src/drawing escapes every text. */}
          <div dangerouslySetInnerHTML={{ __html: timeline.svg }} />
          <Bars timeline={timeline} selected={selected} />
          <Playhead preview={preview} scale={timeline.scale} nowMs={nowMs} />
        </div>
      </div>
      <footer>
        <span class="soft small hint">Keys: ← → a day, with Shift a month; Esc cancels</span>
        {last < LAST_REPORT && (
          <Button onPress={() => createNext(explanation.project)}>Create report {last + 1}</Button>
        )}
      </footer>
    </section>
  )
}

interface DrawingOptions {
  shown: Explanation
  minuteMs: number
  previewMs: number | null
  selected: number | undefined
  room: number
  /** How far it is scrolled. */
  left: number
}

function draw({ shown, minuteMs, previewMs, selected, room, left }: DrawingOptions): Timeline {
  const { latest, last_generated } = shown
  const day = toDay(previewMs ?? minuteMs)
  return drawTimeline({
    reports: latest.candidates.map(({ report }) => report),
    playheadMs: previewMs ?? minuteMs,
    playheadLabel:
      previewMs === null ? `${day}: drag to preview` : `${day}: release to set the world clock`,
    latest: latest.selected?.id ?? null,
    lastGenerated: last_generated.selected?.id ?? null,
    changes: changesOf(shown),
    room,
    inView: { from: left, until: left + room },
    ...(previewMs !== null && { inForceMs: minuteMs }),
    ...(selected !== undefined && { selected }),
  })
}

/** When another report takes the place of what the two endpoints return. */
function changesOf({ latest, last_generated }: Explanation): { ms: number; text: string }[] {
  return [
    { change: latest.next_selection, text: 'latest changes' },
    { change: last_generated.next_selection, text: 'last generated changes' },
  ].flatMap(({ change, text }) => (change ? [{ ms: Date.parse(change.at), text }] : []))
}

/** A button over each report; up and down move between them, as left and right move the playhead. */
function Bars({
  timeline: { bars },
  selected,
}: {
  timeline: Timeline
  selected: number | undefined
}) {
  const list = useRef<HTMLDivElement>(null)
  const at = bars.findIndex(({ report }) => report.id === selected)
  const select = (index: number): void => {
    const bar = bars[index]
    if (bar) navigate({ report: String(bar.report.report_number) }, { replace: true })
  }
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = Math.min(Math.max(at + step, 0), bars.length - 1)
    select(index)
    list.current?.querySelectorAll('button')[index]?.focus()
  }
  return (
    <div role="group" aria-label="Reports" ref={list} onKeyDown={move}>
      {bars.map(({ report, x, y, width, height }, index) => (
        <button
          key={report.id}
          type="button"
          class="report-bar"
          aria-label={describeReport(report)}
          aria-pressed={report.id === selected}
          tabIndex={index === Math.max(at, 0) ? 0 : -1}
          style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
          onClick={() => select(index)}
        />
      ))}
    </div>
  )
}

/** How wide an element is; 0 until it is there. */
function useRoom(element: { current: HTMLElement | null }): number {
  const [room, setRoom] = useState(0)
  useLayoutEffect(() => {
    if (!element.current) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setRoom(Math.floor(entry.contentRect.width))
    })
    observer.observe(element.current)
    setRoom(element.current.clientWidth)
    return () => observer.disconnect()
  }, [])
  return room
}

/**
 * Opens a timeline that is wider than its place at the playhead, and keeps that in view when the clock is moved. It
 * begins with a whole month.
 */
function useOpenAt(
  scroller: { current: HTMLElement | null },
  x: number,
  { isReady, timeline }: { isReady: boolean; timeline: Timeline },
): void {
  useEffect(() => {
    const { current } = scroller
    if (!current || !isReady) return
    const { scrollLeft, clientWidth } = current
    const margin = Math.min(80, clientWidth / 4)
    if (x >= scrollLeft + margin && x <= scrollLeft + clientWidth - margin) return
    const { monthWidth } = timeline.scale
    current.scrollLeft = Math.ceil((x - clientWidth * 0.6) / monthWidth) * monthWidth
  }, [x, isReady])
}
