import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { drawTimeline } from '../../drawing/timeline.ts'
import type { Timeline } from '../../drawing/timeline.ts'
import type { TimelineInput } from '../../drawing/layout.ts'

/** A timeline without its place on the page. Made by `useMemo`, because another object is drawn again. */
export type Shown = Omit<TimelineInput, 'room' | 'inView'>

interface TimelinePictureProps {
  shown: Shown
  /** The time that is kept in view, in epoch milliseconds. */
  atMs: number
  /** Whether it stays as it is scrolled, because a pointer is in it. */
  isStill?: boolean
  /** The time from which the playhead is seen to move to its place, unless the system asks for reduced motion. */
  fromMs?: number | undefined
  /** What the whole of it does. */
  surface?: (timeline: Timeline) => HTMLAttributes<HTMLDivElement>
  /** What lies over it. */
  children?: (timeline: Timeline) => ComponentChildren
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
