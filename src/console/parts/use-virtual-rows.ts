import { defaultRangeExtractor } from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

interface VirtualRowsOptions {
  count: number
  /** The height of every row, and of the head above them, in pixels. */
  rowHeight: number
  /** The element that scrolls. */
  scroller: RefObject<HTMLElement | null>
}

/** How many rows beyond those in view exist on each side, so that a fast scroll shows no gap. */
const OVERSCAN = 8

/**
 * Which rows of a long list to draw. `Virtualizer` of the same library also measures rows, which takes a twentieth of
 * the page; here all have one height.
 */
export function useVirtualRows({ count, rowHeight, scroller }: VirtualRowsOptions) {
  const [{ first, last }, setView] = useState({ first: 0, last: -1 })
  useLayoutEffect(() => {
    const element = scroller.current!
    const look = (): void => {
      const { scrollTop, clientHeight } = element
      const view = {
        first: Math.floor(scrollTop / rowHeight),
        last: Math.floor((scrollTop + clientHeight) / rowHeight),
      }
      setView((known) => (known.first === view.first && known.last === view.last ? known : view))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [rowHeight])
  // A list may become shorter than what was in view.
  const range = { startIndex: Math.min(first, count), endIndex: last, overscan: OVERSCAN, count }
  const rows = defaultRangeExtractor(range)
  return {
    /** The indexes of those that are in view or near it. */
    rows,
    /** How high the rows before them and after them are. */
    before: (rows[0] ?? 0) * rowHeight,
    after: (count - 1 - (rows.at(-1) ?? -1)) * rowHeight,
    /** Scrolls no further than it must to show a row. */
    scrollTo: (index: number) => {
      const element = scroller.current!
      const top = index * rowHeight
      // The head stays in view.
      const lowest = top + 2 * rowHeight - element.clientHeight
      element.scrollTop = Math.min(top, Math.max(lowest, element.scrollTop))
    },
  }
}
