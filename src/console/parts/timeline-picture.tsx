import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TimelineInput, Compared } from '../../drawing/layout.ts'
import { drawTimeline } from '../../drawing/timeline.ts'
import type { DrawnTimeline } from '../../drawing/timeline.ts'
import type { Explanation } from '../api/types.ts'

/** A timeline without its place on the page. Made by `useMemo`, because another object is drawn again. */
export type ShownTimeline = Omit<TimelineInput, 'room' | 'inView'>

interface TimelinePictureProps {
  shown: ShownTimeline
  /** The time that is kept in view, in epoch milliseconds. */
  atMs: number
  /** Whether it stays as it is scrolled, because a pointer is in it. */
  isStill?: boolean
  /** The time from which the playhead is seen to move to its place, unless the system asks for reduced motion. */
  fromMs?: number | undefined
  /** What the whole of it does. */
  surface?: (timeline: DrawnTimeline) => HTMLAttributes<HTMLDivElement>
  /** What lies over it. */
  children?: (timeline: DrawnTimeline) => ComponentChildren
}

/** A timeline, which is scrolled sideways where it is wider than its place. */
export function TimelinePicture(props: TimelinePictureProps) {
  const { shown, atMs, isStill = false, fromMs, surface, children } = props
  const scroller = useRef<HTMLDivElement>(null)
  const room = useRoom(scroller)
  const [left, setLeft] = useState(0)
  const timeline = useMemo(
    () => drawTimeline({ ...shown, room, inView: { from: left, until: left + room } }),
    [shown, room, left],
  )
  const { scale, width, height } = timeline
  useOpenAt(scroller, scale.xOf(atMs), { isReady: room > 0 && !isStill, timeline })
  useLayoutEffect(() => {
    if (fromMs === undefined || STILL.matches) return
    const by = scale.xOf(fromMs) - scale.xOf(shown.playheadMs)
    if (Math.abs(by) < 1) return
    const playhead = scroller.current?.querySelector('[data-playhead]')
    playhead?.animate([{ transform: `translateX(${by}px)` }, {}], MOVING_MS)
  }, [shown, fromMs])
  return (
    <div
      class="months"
      ref={scroller}
      onScroll={() => setLeft(scroller.current?.scrollLeft ?? 0)}
      // It takes the focus, so that keys scroll it, where nothing in it can.
      {...(!children && { tabIndex: 0, role: 'group', 'aria-label': 'Timeline' })}
    >
      <div
        class="drawing"
        style={{ width: `${width}px`, height: `${height}px` }}
        {...surface?.(timeline)}
      >
        {/* src/drawing escapes every text. */}
        <div dangerouslySetInnerHTML={{ __html: timeline.svg }} />
        {children?.(timeline)}
      </div>
    </div>
  )
}

const STILL = matchMedia('(prefers-reduced-motion: reduce)')
const MOVING_MS = 150

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
 * Opens a timeline that is wider than its place at a time, and keeps that in view when it changes. It begins with a
 * whole month.
 */
function useOpenAt(
  scroller: { current: HTMLElement | null },
  x: number,
  { isReady, timeline }: { isReady: boolean; timeline: DrawnTimeline },
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

interface Beside {
  /** Another moment of the project to compare with; null or omitted for no comparison. */
  other?: Explanation | null | undefined
  /** True if the world clock stands at that other moment, and the drawn one is a preview. */
  isPreview?: boolean
  /** Explanation with the coming changes by time; the drawn one if omitted. */
  ahead?: Explanation
}

/** The reports of a project at a moment, as a timeline shows them, with what differs from another moment. */
export function timelineOf(
  shown: Explanation,
  { other, isPreview = false, ahead = shown }: Beside = {},
): Pick<ShownTimeline, 'reports' | 'latest' | 'lastGenerated' | 'changes' | 'compared'> {
  const finishing = finishesOf(ahead)
  const before = other?.latest.candidates
  return {
    reports: shown.latest.candidates.map(({ report }) => ({
      ...report,
      finishesMs: report.status === 'completed' ? undefined : finishing.get(report.id),
      isChanged:
        before !== undefined &&
        before.find((one) => one.report.id === report.id)?.report.status !== report.status,
    })),
    ...selectedIn(shown),
    changes: changesOf(shown),
    compared: other ? toCompared(other, isPreview) : undefined,
  }
}

function toCompared(other: Explanation, isInForce: boolean): Compared {
  return { ms: Date.parse(other.at), ...selectedIn(other), isInForce }
}

function selectedIn({ latest, last_generated }: Explanation) {
  return {
    latest: latest.selected?.id ?? null,
    lastGenerated: last_generated.selected?.id ?? null,
  }
}

/** When time completes each report, by its id. */
function finishesOf({ changes }: Explanation): ReadonlyMap<number, number> {
  const moments = new Map<number, number>()
  for (const { at, reports } of changes) {
    for (const { id, status } of reports) {
      if (status === 'completed' && !moments.has(id)) moments.set(id, Date.parse(at))
    }
  }
  return moments
}

/** When another report takes the place of what the two endpoints return. */
function changesOf({ latest, last_generated }: Explanation): { ms: number; text: string }[] {
  return [
    { change: latest.next_selection, text: 'latest changes' },
    { change: last_generated.next_selection, text: 'last generated changes' },
  ].flatMap(({ change, text }) => (change ? [{ ms: Date.parse(change.at), text }] : []))
}
