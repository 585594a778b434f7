import type { HTMLAttributes } from 'preact'
import { useRef } from 'preact/hooks'
import type { Timeline } from '../../../drawing/timeline.ts'
import { toMidnight } from './moments.ts'
import type { Preview } from './preview.ts'

/** How long a pointer is over a timeline before that shows another time: one that only passes changes nothing. */
const RESTING_MS = 120

/** How far a pointer may move in a click, in pixels. */
export const STEADY = 4

/** What lies over a report or is dragged has clicks of its own. */
const OWN_CLICKS = 'button, [role=slider]'

interface Placed {
  clientX: number
  currentTarget: Element
}

/** Shows the day that a pointer is over; a click or a tap keeps it. */
export function useLook(
  preview: Preview,
  nowMs: number,
): (timeline: Timeline) => HTMLAttributes<HTMLDivElement> {
  const pointer = useRef<{ day: number; downX: number; timer?: ReturnType<typeof setTimeout> }>({
    day: 0,
    downX: 0,
  })
  const { current } = pointer
  const forget = (): void => {
    clearTimeout(current.timer)
    delete current.timer
  }
  const look = (): void => {
    // On the day of the world clock, its own time is shown.
    if (current.day === toMidnight(nowMs)) preview.leave()
    else preview.look(current.day)
  }
  return ({ scale }) => {
    const dayOf = ({ clientX, currentTarget }: Placed): number =>
      toMidnight(scale.msOf(clientX - currentTarget.getBoundingClientRect().left))
    return {
      onPointerMove: (event) => {
        if (event.pointerType === 'touch' || event.buttons !== 0) return
        current.day = dayOf(event)
        if (preview.atMs.peek() !== null) look()
        else
          current.timer ??= setTimeout(() => {
            forget()
            look()
          }, RESTING_MS)
      },
      onPointerLeave: () => {
        forget()
        preview.leave()
      },
      onPointerDown: ({ clientX }) => {
        current.downX = clientX
      },
      onClick: (event) => {
        if (!(event.target instanceof Element) || event.target.closest(OWN_CLICKS)) return
        if (Math.abs(event.clientX - current.downX) > STEADY) return
        forget()
        const day = dayOf(event)
        if (day === toMidnight(nowMs)) preview.cancel()
        else preview.pin(day, 'click')
      },
    }
  }
}
