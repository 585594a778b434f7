import { useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { EmptyState } from '../../parts/placeholders.tsx'
import { StateWord, withCode } from '../../parts/marked-text.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { countUpTo, durationOf, toClock } from './traffic-lines.ts'
import type { Line } from './traffic-lines.ts'
import { isDecidedByResource } from '../../../wording/decision.ts'
import { stateOf } from './client-review.tsx'
import {
  allLines,
  clearFilter,
  foundAt,
  heldAt,
  select,
  selected,
  shownLines,
  requestReason,
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
  { title: 'Method', width: '5.75rem', cell: toMethod },
  { title: 'Status', width: '5.25rem', cell: toStatus },
  { title: 'Path', cell: toTarget },
  { title: 'Duration', width: '5.25rem', align: 'end', isMinor: true, cell: toDuration },
  { title: 'Why', width: '35%', isMinor: true, cell: (line) => toWhy(line) },
  { title: 'Time', width: '7.5rem', isMinor: true, cell: toTime },
]

function toTime({ at }: Line) {
  return <span class="soft">{toClock(at)}</span>
}

function toMethod({ entry }: Line) {
  if (entry.kind === 'command') return <span class="is-command">command</span>
  return <span class="mono">{entry.method.slice(0, 12)}</span>
}

function toStatus({ entry }: Line) {
  return entry.kind === 'command' ? null : <Status status={entry.status} />
}

export function Status({ status }: { status: number }) {
  const isFine = status > 0 && status < 400
  return (
    <StateWord state={isFine ? 'completed' : 'failed'}>{status === 0 ? 'none' : status}</StateWord>
  )
}

const API_PREFIX = '/api/v1'

function toTarget({ sequence, title }: Line) {
  const [found] = foundAt(sequence)
  const hasPrefix = title.startsWith(`${API_PREFIX}/`)
  return (
    <span class="mono" title={title}>
      {found && (
        <span class={`state ${stateOf(found.check)}`} role="img" aria-label={found.check.id} />
      )}
      {hasPrefix && <span class="minor soft">{API_PREFIX}</span>}
      <bdi>{hasPrefix ? title.slice(API_PREFIX.length) : title}</bdi>
    </span>
  )
}

function toDuration({ entry }: Line) {
  return entry.kind === 'command' ? null : durationOf(entry)
}

/** Why the response is what it is, or the mistake of the client that the review has found there, where that says more. */
function toWhy({ entry, sequence }: Line): ComponentChildren {
  if (entry.kind === 'command') return null
  const [found, ...others] = foundAt(sequence)
  if (!found || (found.check.severity !== 'error' && !isDecidedByResource(entry))) {
    const reason = requestReason(entry)
    return (
      <bdi class={isDecidedByResource(entry) ? 'soft' : ''} title={reason}>
        {reason}
      </bdi>
    )
  }
  return (
    <span title={found.message}>
      <StateWord state={stateOf(found.check)}>{withCode(fitOnLine(found.message))}</StateWord>
      {others.length > 0 && <span class="soft"> +{others.length}</span>}
    </span>
  )
}
