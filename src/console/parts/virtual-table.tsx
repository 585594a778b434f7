import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

export interface Column<Row> {
  title: string
  /** Width in CSS: `8rem`, `20%`. Columns without a width share the remaining space. */
  width?: string
  /** `start` if omitted; use `end` for numbers. */
  align?: 'start' | 'end'
  /** True to hide the column on narrow screens. */
  isMinor?: boolean
  cell: (row: Row) => ComponentChildren
}

interface VirtualTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  /** Number of rows, including rows that are not loaded. */
  count: number
  /**
   * Height of a row in pixels, as in the CSS. A function returns an estimate, and the table measures the rows that it draws. Pass
   * the same function while the estimates stay the same, because a new function causes a new layout of all rows.
   */
  rowHeight: RowHeight
  /** Returns the row at an index; undefined until the row is loaded. The table draws a skeleton for an unloaded row. */
  rowAt: (index: number) => Row | undefined
  keyOf: (row: Row) => string | number
  selected?: string | number | undefined
  onSelect?: (row: Row) => void
  /** Called with the last index drawn, so that missing rows can be loaded. */
  onView?: (last: number) => void
}

type RowHeight = number | ((index: number) => number)

/** Height of the table head in pixels, as in the CSS. */
const HEAD_HEIGHT = 36

/** A table of any length that draws only the rows in view and a few beyond. It fills the height of its container. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, count, rowHeight, rowAt, keyOf, selected, onSelect, onView } = props
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, before, after, scrollTo } = useVirtualRows({
    count,
    rowHeight,
    keyAt: (index) => {
      const row = rowAt(index)
      return row === undefined ? undefined : keyOf(row)
    },
    scroller,
  })
  const first = rows[0] ?? 0
  const last = rows.at(-1) ?? 0
  useEffect(() => {
    if (count > 0) onView?.(last)
  }, [last, count])

  const focusRow = (index: number): void => {
    scrollTo(index)
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus()
    })
  }
  const move = (event: KeyboardEvent): void => {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null
    if (!(row instanceof HTMLElement)) return
    const at = Number(row.dataset['index'])
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[event.key]
    if (target !== undefined) {
      event.preventDefault()
      focusRow(Math.max(0, Math.min(count - 1, target)))
    } else if (event.key === 'Enter' && event.target === row) {
      const chosen = rowAt(at)
      if (chosen !== undefined) onSelect?.(chosen)
    }
  }
  const hasSelected = rows.some((index) => isSelected(rowAt(index)))
  function isSelected(row: Row | undefined): boolean {
    return row !== undefined && selected !== undefined && keyOf(row) === selected
  }
  return (
    <div class="table" ref={scroller}>
      <table role="grid" aria-label={label} aria-rowcount={count + 1}>
        <thead>
          <tr>
            {columns.map(({ title, width, align, isMinor }) => (
              <th key={title} scope="col" class={classOf(align, isMinor)} style={{ width }}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={move}>
          <Spacer height={before} />
          {rows.map((index) => {
            const row = rowAt(index)
            const isCurrent = isSelected(row)
            return (
              <tr
                key={row === undefined ? `row ${index}` : keyOf(row)}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={isCurrent}
                tabIndex={isCurrent || (!hasSelected && index === first) ? 0 : -1}
                onClick={() => row !== undefined && onSelect?.(row)}
              >
                {columns.map(({ title, align, isMinor, cell }) => (
                  <td key={title} class={classOf(align, isMinor)}>
                    {row === undefined ? <span class="unloaded" /> : cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Spacer height={after} />
        </tbody>
      </table>
    </div>
  )
}

function classOf(align: 'start' | 'end' = 'start', isMinor = false): string {
  return `${align}${isMinor ? ' minor' : ''}`
}

/** A blank row of `height` pixels, in place of the rows that are not drawn. */
function Spacer({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden="true" style={{ height: `${height}px` }} /> : null
}

interface VirtualRowsOptions {
  count: number
  rowHeight: RowHeight
  /** Returns the key under which the height of a row is remembered; undefined until the row is loaded. */
  keyAt: (index: number) => string | number | undefined
  scroller: RefObject<HTMLElement | null>
}

/** Number of rows rendered beyond the view on each side, so that a fast scroll shows no gap. */
const OVERSCAN = 8

/** Returns functions that convert between row indices and distances from the top of the list, in pixels. */
function offsetsOf(count: number, heightOf: (index: number) => number) {
  const tops = new Float64Array(count + 1)
  for (let index = 0; index < count; index += 1) {
    tops[index + 1] = (tops[index] ?? 0) + heightOf(index)
  }
  return {
    /** Top of the row at `index`; if `index` is the number of rows, the bottom of the last row. */
    topOf: (index: number) => tops[index] ?? 0,
    indexAt: (top: number) => {
      let [low, high] = [0, count]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((tops[middle + 1] ?? Infinity) <= top) low = middle + 1
        else high = middle
      }
      return low
    },
  }
}

/** Returns the rows of a long list that are in view, with `OVERSCAN` more on each side. */
function useVirtualRows({ count, rowHeight, keyAt, scroller }: VirtualRowsOptions) {
  const [{ first, last, width }, setView] = useState({ first: 0, last: -1, width: 0 })
  const measured = useRef(new Map<string | number, number>()).current
  const [version, setVersion] = useState(0)
  const offsets = useMemo(() => {
    if (typeof rowHeight === 'number') return offsetsOf(count, () => rowHeight)
    return offsetsOf(count, (index) => measured.get(keyAt(index) ?? '') ?? rowHeight(index))
  }, [count, rowHeight, version])
  useLayoutEffect(() => {
    const element = scroller.current!
    const look = (): void => {
      const { scrollTop, clientHeight, clientWidth } = element
      const [from, to] = [offsets.indexAt(scrollTop), offsets.indexAt(scrollTop + clientHeight)]
      setView((known) =>
        known.first === from && known.last === to && known.width === clientWidth
          ? known
          : { first: from, last: to, width: clientWidth },
      )
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [offsets])
  // A new width changes the heights of all rows.
  useLayoutEffect(() => measured.clear(), [width])
  useLayoutEffect(() => {
    if (typeof rowHeight === 'number') return
    let isChanged = false
    for (const row of scroller.current!.querySelectorAll<HTMLElement>('[data-index]')) {
      const [key, height] = [keyAt(Number(row.dataset['index'])), row.offsetHeight]
      if (key === undefined || measured.get(key) === height) continue
      measured.set(key, height)
      isChanged = true
    }
    if (isChanged) setVersion(version + 1)
  })
  // A list may become shorter than the range in view.
  const start = Math.max(Math.min(first, count) - OVERSCAN, 0)
  const end = Math.min(last + OVERSCAN + 1, count)
  return {
    rows: Array.from({ length: end - start }, (_, index) => start + index),
    /** Total height of the rows above `rows`, in pixels. */
    before: offsets.topOf(start),
    /** Total height of the rows below `rows`, in pixels. */
    after: offsets.topOf(count) - offsets.topOf(end),
    /** Scrolls just far enough to show a row. */
    scrollTo: (index: number) => {
      const element = scroller.current!
      // The sticky head covers the top of the view.
      const lowest = offsets.topOf(index + 1) + HEAD_HEIGHT - element.clientHeight
      element.scrollTop = Math.min(offsets.topOf(index), Math.max(lowest, element.scrollTop))
    },
  }
}
