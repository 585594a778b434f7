import { signal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { isUnreachable, sentenceOf } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import { revision } from '../api/transport.ts'
import type { CollectionName, RecordOf } from '../api/types.ts'
import { beginRepeatedRead, whenAllIsRead } from '../state/resource.ts'

interface Page<Row> {
  rows: Row[]
  total: number
  /** Cursor of the next page; null on the last page. */
  next: string | number | null
}

export type ReadPage<Row> = (
  query: { limit: number; after?: string | number },
  signal: AbortSignal,
) => Promise<Page<Row>>

/** The maximum of the control API, so that long lists need few requests. */
const PAGE_SIZE = 1000

interface State<Row> {
  /** Undefined until the first page has been read. */
  total: number | undefined
  error: string | undefined
  rows: readonly Row[]
}

/**
 * Returns the rows of a list, and loads pages as the user scrolls. The page in view is read again when the world or `refreshKey`
 * changes. When `keys` change, the list starts empty.
 */
export function usePages<Row>(read: ReadPage<Row>, keys: readonly unknown[], refreshKey?: number) {
  const loader = useMemo(() => createLoader(read), keys)
  const world = revision.value
  useEffect(() => loader.refresh(), [loader, world, refreshKey])
  useEffect(() => () => loader.stop(), [loader])
  const { total, rows, error } = loader.state.value
  return { total, error, rowAt: (index: number) => rows[index], view: loader.view }
}

function createLoader<Row>(readPage: ReadPage<Row>) {
  const state = signal<State<Row>>({ total: undefined, error: undefined, rows: [] })
  let running: AbortController | undefined
  /** Repeated read of the page in view, if one is pending. */
  let pending: ReturnType<typeof beginRepeatedRead> | undefined
  let lastInView = 0
  let isOutdated = true
  /** Cursor of each page that was read, and of the next page; undefined for the first page, which needs no cursor. */
  let cursors: (string | number | undefined)[] = [undefined]

  function nextPage(): number | undefined {
    const { rows, total = 0 } = state.peek()
    if (isOutdated) return Math.min(Math.floor(lastInView / PAGE_SIZE), cursors.length - 1)
    const page = Math.floor(rows.length / PAGE_SIZE)
    return rows.length < Math.min(lastInView + 1, total) && page < cursors.length ? page : undefined
  }

  function take(page: number, { rows: read, total: reported, next }: Page<Row>): void {
    const { rows, total: known } = state.peek()
    const start = page * PAGE_SIZE
    const end = start + read.length
    // On the last page, the number of rows read is exact. The reported total may include rows that no page returns.
    const total = next === null ? end : reported
    const isSame = known === total && rows.length >= end
    if (!isSame && isOutdated && page > 0) {
      // Rows may have appeared or vanished on earlier pages, so all pages are read again.
      cursors = [undefined]
      state.value = { total, error: undefined, rows: [] }
      return
    }
    isOutdated = false
    const rest = isSame ? rows.slice(end) : []
    if (!isSame) cursors = [...cursors.slice(0, page + 1), ...(next === null ? [] : [next])]
    state.value = { total, error: undefined, rows: [...rows.slice(0, start), ...read, ...rest] }
  }

  async function run(): Promise<void> {
    const controller = new AbortController()
    running = controller
    const { signal: aborting } = controller
    try {
      for (let page = nextPage(); page !== undefined; page = nextPage()) {
        const after = cursors[page]
        const query = { limit: PAGE_SIZE, ...(after !== undefined && { after }) }
        const answer = await readPage(query, aborting)
        await (pending?.whenAll() ?? whenAllIsRead())
        if (aborting.aborted) return
        pending = undefined
        take(page, answer)
      }
    } catch (error) {
      if (aborting.aborted || isUnreachable(error)) return
      state.value = { ...state.peek(), error: sentenceOf(error) }
    } finally {
      if (running === controller) {
        running = undefined
        pending?.end()
      }
    }
  }

  return {
    state,
    /** Loads the rows up to the last one in view. */
    view: (last: number) => {
      lastInView = last
      if (!running) void run()
    },
    refresh: () => {
      isOutdated = true
      running?.abort()
      pending?.end()
      pending = state.peek().total === undefined ? undefined : beginRepeatedRead()
      void run()
    },
    stop: () => {
      running?.abort()
      pending?.end()
    },
  }
}

/** Returns a function for `usePages` that reads the records of a collection by ascending id. `pick` converts a record to a row. */
export function recordPages<Name extends CollectionName, Row>(
  collection: Name,
  filter: Readonly<{ search?: string; project?: number }>,
  pick: (record: RecordOf<Name>) => Row,
): ReadPage<Row> {
  return async (query, aborting) => {
    const { records, total, next } = await api.list(collection, { ...query, ...filter }, aborting)
    return { rows: records.map((record) => pick(record)), total, next }
  }
}

/** Delay between the last keystroke and the request to the server, in milliseconds. */
export const SETTLING_MS = 150

/** Returns the last value that stayed the same for `SETTLING_MS`. */
export function useSettled<Value>(value: Value): Value {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
