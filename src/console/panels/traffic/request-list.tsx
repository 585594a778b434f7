import { useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { EmptyState } from '../../parts/empty-state.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { countUpTo } from './line.ts'
import type { Line } from './line.ts'
import { stateOf } from './review.tsx'
import { toClock } from './time.ts'
import {
  allLines,
  clearFilter,
  foundAt,
  heldAt,
  select,
  selected,
  shownLines,
} from './traffic-state.ts'

/** Requests and commands, the latest first. It keeps its place while somebody looks closer, and counts what has come. */
export function RequestList({ empty }: { empty: ComponentChildren }) {
  const lines = shownLines.value
  const hold = useHold()
  const held = heldAt.value
  const count = held === null ? lines.length : countUpTo(lines, held)
  const added = lines.length - count
  if (allLines.value.length === 0) return <>{empty}</>
  if (lines.length === 0) {
    return (
      <EmptyState
        title="Nothing matches"
        action={
          <button type="button" class="button" onClick={clearFilter}>
            Show all
          </button>
        }
      >
        None of the {allLines.value.length.toLocaleString('en')} entries has all of this.
      </EmptyState>
    )
  }
  return (
    <div class="requests" {...hold.handlers}>
      {added > 0 && (
        <button type="button" class="button primary added" onClick={hold.release}>
          {added.toLocaleString('en')} new
        </button>
      )}
      <VirtualTable
        label="Requests and commands"
        columns={COLUMNS}
        count={count}
        rowAt={(index) => lines[count - 1 - index]}
        keyOf={({ sequence }) => sequence}
        selected={selected.value}
        onSelect={({ sequence }) => select(sequence)}
      />
    </div>
  )
}

type Reason = 'scrolled' | 'pointed at' | 'in focus'

/** Keeps the list as it is while it is scrolled, pointed at, in focus, or one of it is selected. */
function useHold() {
  const reasons = useRef(new Set<Reason>()).current
  const root = useRef<HTMLDivElement>(null)
  const update = (): void => {
    const isHeld = reasons.size > 0 || selected.peek() !== undefined
    heldAt.value = isHeld ? (heldAt.peek() ?? allLines.peek().at(-1)?.sequence ?? null) : null
  }
  const hold = (reason: Reason, isSo: boolean): void => {
    if (isSo) reasons.add(reason)
    else reasons.delete(reason)
    update()
  }
  useSignalEffect(() => {
    if (selected.value === undefined) update()
  })
  useSignalEffect(() => {
    const { value: lines } = allLines
    const held = heldAt.peek()
    if (held === null) return
    // The world has begun again, or all that was held is too old to be kept.
    const [first, last] = [lines[0]?.sequence ?? 0, lines.at(-1)?.sequence ?? 0]
    if (last < held || first > held) heldAt.value = null
  })
  return {
    release: () => {
      reasons.clear()
      heldAt.value = null
      root.current?.querySelector('.table')?.scrollTo({ top: 0 })
    },
    handlers: {
      ref: root,
      onScrollCapture: ({ target }: Event) =>
        hold('scrolled', target instanceof Element && target.scrollTop > 0),
      onPointerEnter: ({ pointerType }: PointerEvent) =>
        hold('pointed at', pointerType === 'mouse'),
      onPointerLeave: () => hold('pointed at', false),
      onFocusCapture: ({ target }: FocusEvent) =>
        hold('in focus', target instanceof Element && target.closest('tr') !== null),
      onBlurCapture: () => hold('in focus', false),
    },
  }
}

const COLUMNS: readonly Column<Line>[] = [
  { title: 'Time', width: '8rem', cell: toTime },
  { title: 'Status', width: '6.25rem', cell: toStatus },
  { title: 'Request', cell: toTarget },
  { title: 'Token', width: '18%', isMinor: true, cell: (line) => toToken(line) },
  { title: 'Decided by', width: '18%', isMinor: true, cell: (line) => toRule(line) },
  { title: 'Findings, faults, gaps', width: '18%', isMinor: true, cell: (line) => toMarks(line) },
]

function toTime({ at }: Line) {
  const time = toClock(at)
  return (
    <span class="soft">
      {time.slice(0, 8)}
      <span class="minor">{time.slice(8)}</span>
    </span>
  )
}

function toStatus({ entry }: Line) {
  if (entry.kind === 'command') return <span class="is-command">command</span>
  return <Status status={entry.status} />
}

export function Status({ status }: { status: number }) {
  const isFine = status > 0 && status < 400
  return (
    <StateWord state={isFine ? 'completed' : 'failed'}>{status === 0 ? 'none' : status}</StateWord>
  )
}

const API_PREFIX = '/api/v1'

function toTarget({ entry, sequence, title }: Line) {
  const [found] = foundAt(sequence)
  const hasPrefix = title.startsWith(`${API_PREFIX}/`)
  return (
    <span class="mono" title={title}>
      {found && (
        <span class={`state ${stateOf(found.check)}`} role="img" aria-label={found.check.id} />
      )}
      {entry.kind === 'request' && entry.method !== 'GET' && <b>{entry.method.slice(0, 12)} </b>}
      {hasPrefix && <span class="minor soft">{API_PREFIX}</span>}
      <bdi>{hasPrefix ? title.slice(API_PREFIX.length) : title}</bdi>
    </span>
  )
}

function toToken({ entry }: Line): ComponentChildren {
  if (entry.kind === 'command') return null
  return entry.token === null ? (
    <span class="soft">{entry.scheme === null ? 'none' : 'unknown'}</span>
  ) : (
    <bdi>{entry.token.slice(0, 60)}</bdi>
  )
}

function toRule({ entry }: Line): ComponentChildren {
  if (entry.kind === 'command') return null
  return entry.rule === null ? entry.decided_by : `${entry.decided_by}, ${entry.rule}`
}

function toMarks({ entry, sequence }: Line): ComponentChildren {
  if (entry.kind === 'command') return null
  const [first, ...others] = [
    ...foundAt(sequence).map(({ check }) => (
      <StateWord state={stateOf(check)}>{check.id}</StateWord>
    )),
    ...entry.faults.map((id) => `fault ${id}`),
    ...entry.gaps,
  ]
  return (
    <>
      {first} {others.length > 0 && <span class="soft">+{others.length}</span>}
    </>
  )
}
