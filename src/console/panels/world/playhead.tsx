import { useMemo, useRef } from 'preact/hooks'
import type { HTMLAttributes } from 'preact'
import type { MonthScale } from '../../../drawing/month-scale.ts'
import { DAY_MS, toMinute } from '../../../wording/times.ts'
import { useKeys } from '../../state/page.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { addDays, addMonths, toMidnight } from './preview.ts'
import type { Preview } from './preview.ts'

interface PlayheadProps {
  preview: Preview
  scale: MonthScale
  nowMs: number
}

/**
 * The world clock as a slider over the timeline. Dragging it or pressing an arrow key previews another time; releasing it or
 * pressing Enter sets the clock. Escape ends the preview.
 */
export function Playhead({ preview, scale, nowMs }: PlayheadProps) {
  const ruler = useRef<HTMLDivElement>(null)
  const drag = useDrag({ preview, scale, nowMs }, ruler)
  const slider = useRef<HTMLDivElement>(null)
  usePlayheadKeys(preview, slider)
  const isPinned = preview.isPinned.value
  const ms = (isPinned ? preview.atMs.value : null) ?? nowMs
  const dayOf = (time: number): number => toMidnight(time) / DAY_MS
  return (
    <>
      <div class="ruler" ref={ruler} onPointerDown={drag} />
      <div
        class="playhead"
        ref={slider}
        role="slider"
        tabIndex={0}
        aria-label="World clock"
        aria-valuemin={dayOf(Math.min(scale.msOf(0), ms))}
        aria-valuemax={dayOf(Math.max(scale.msOf(scale.width), ms))}
        aria-valuenow={dayOf(ms)}
        aria-valuetext={toMinute(ms) + (isPinned ? ', preview' : '')}
        style={{ left: `${scale.xOf(ms)}px` }}
        onPointerDown={drag}
        onKeyDown={({ key }) => {
          if (key === 'Enter') void preview.commit()
        }}
      />
    </>
  )
}

function usePlayheadKeys(preview: Preview, slider: { current: HTMLElement | null }): void {
  const keys = useMemo(() => {
    const by = (add: typeof addDays, step: number) => (): void => {
      const from = preview.atMs.peek() ?? clocks.peek()?.worldMs
      if (from === undefined) return
      preview.pin(add(from, step), 'keys')
      // The slider must have the focus, because it handles Enter.
      slider.current?.focus({ preventScroll: true })
    }
    return [
      {
        keys: 'ArrowLeft',
        does: 'Look a day back; Enter sets the world clock',
        press: by(addDays, -1),
      },
      { keys: 'ArrowRight', does: 'Look a day ahead', press: by(addDays, 1) },
      { keys: 'Shift+ArrowLeft', does: 'Look a month back', press: by(addMonths, -1) },
      { keys: 'Shift+ArrowRight', does: 'Look a month ahead', press: by(addMonths, 1) },
      { keys: 'Escape', does: 'Leave the preview of another time', press: preview.cancel },
    ]
  }, [preview])
  useKeys(keys)
}

/** Width of the zones at both ends of the timeline in which a drag scrolls the timeline, in pixels. */
const EDGE = 28
/** Distance by which each movement of the pointer in an edge zone scrolls the timeline, in pixels. */
const SCROLL_STEP = 10

/** Returns a handler of `pointerdown` that begins a drag of the playhead. A touch of the ruler scrolls the timeline instead. */
function useDrag(
  props: PlayheadProps,
  ruler: { current: HTMLElement | null },
): (event: PointerEvent) => void {
  const latest = useRef(props)
  latest.current = props
  const { preview } = props
  const follow = ({ clientX }: { clientX: number }): void => {
    const { scale, nowMs } = latest.current
    const day = toMidnight(scale.msOf(clientX - (ruler.current?.getBoundingClientRect().left ?? 0)))
    // On the day of the world clock, ends the preview, because releasing the pointer would set the clock to the midnight before.
    if (day === toMidnight(nowMs)) preview.cancel()
    else preview.pin(day, 'drag')
    const scroller = ruler.current?.closest('.months')
    const box = scroller?.getBoundingClientRect()
    if (!scroller || !box) return
    if (clientX > box.right - EDGE) scroller.scrollLeft += SCROLL_STEP
    if (clientX < box.left + EDGE) scroller.scrollLeft -= SCROLL_STEP
  }
  return (event) => {
    const { currentTarget: target, pointerId, pointerType, button } = event
    if (!(target instanceof HTMLElement) || button !== 0) return
    if (target === ruler.current && pointerType === 'touch') return
    event.preventDefault()
    const controller = new AbortController()
    const { signal } = controller
    let hasMoved = false
    const move = (moved: PointerEvent): void => {
      hasMoved ||= Math.abs(moved.clientX - event.clientX) > CLICK_TOLERANCE
      if (hasMoved) follow(moved)
    }
    const end = (action: () => void) => () => {
      controller.abort()
      if (hasMoved) action()
    }
    target.setPointerCapture(pointerId)
    target.addEventListener('pointermove', move, { signal })
    target.addEventListener(
      'pointerup',
      end(() => void preview.commit()),
      { signal },
    )
    target.addEventListener('pointercancel', end(preview.cancel), { signal })
    addEventListener('keydown', ({ key }) => key === 'Escape' && end(preview.cancel)(), { signal })
  }
}

/** Delay before a resting pointer previews a day, so that a passing pointer previews none. */
const RESTING_MS = 120

/** Maximum horizontal movement of a pointer during a click, in pixels. */
const CLICK_TOLERANCE = 4

/** Elements that handle clicks themselves. */
const CLICKABLE = 'button, [role=slider]'

interface PointerPosition {
  clientX: number
  currentTarget: Element
}

/**
 * Returns a function that creates event handlers for a timeline. They preview the day under a pointer, and pin the preview on a
 * click or a tap.
 */
export function usePointerPreview(
  preview: Preview,
  nowMs: number,
): (timeline: { scale: MonthScale }) => HTMLAttributes<HTMLDivElement> {
  const pointer = useRef<{ day: number; x: number; timer?: ReturnType<typeof setTimeout> }>({
    day: 0,
    x: 0,
  })
  const { current } = pointer
  const forget = (): void => {
    clearTimeout(current.timer)
    delete current.timer
  }
  const look = (): void => {
    // On the day of the world clock, shows the exact time of the clock instead of midnight.
    if (current.day === toMidnight(nowMs)) preview.leave()
    else preview.look(current.day)
  }
  return ({ scale }) => {
    const dayOf = ({ clientX, currentTarget }: PointerPosition): number =>
      toMidnight(scale.msOf(clientX - currentTarget.getBoundingClientRect().left))
    return {
      onPointerMove: (event) => {
        if (event.pointerType === 'touch' || event.buttons !== 0) return
        // Scrolling under a pointer at rest causes events too.
        if (event.clientX === current.x) return
        current.x = event.clientX
        current.day = dayOf(event)
        if (preview.atMs.peek() !== null) look()
        else
          current.timer ??= setTimeout(() => {
            forget()
            look()
          }, RESTING_MS)
      },
      onWheel: forget,
      onPointerLeave: () => {
        current.x = NaN
        forget()
        preview.leave()
      },
      onPointerDown: ({ clientX }) => {
        current.x = clientX
      },
      onClick: (event) => {
        if (!(event.target instanceof Element) || event.target.closest(CLICKABLE)) return
        if (Math.abs(event.clientX - current.x) > CLICK_TOLERANCE) return
        forget()
        const day = dayOf(event)
        if (day === toMidnight(nowMs)) preview.cancel()
        else preview.pin(day, 'click')
      },
    }
  }
}
