import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core'
import type { VirtualItem } from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

interface VirtualRowsOptions {
  count: number
  rowHeight: number
  /** The element that scrolls. */
  scroller: RefObject<HTMLElement | null>
}

interface VirtualRows {
  /** Those that are in view or near it. */
  rows: readonly VirtualItem[]
  /** How high the rows before them and after them are. */
  before: number
  after: number
  scrollTo: (index: number) => void
}

/** Which rows of a long list to draw. */
export function useVirtualRows({ count, rowHeight, scroller }: VirtualRowsOptions): VirtualRows {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  }
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  const rows = virtualizer.getVirtualItems()
  return {
    rows,
    before: rows[0]?.start ?? 0,
    after: count * rowHeight - (rows.at(-1)?.end ?? 0),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  }
}
