import { useSignalEffect } from '@preact/signals'
import { Search } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useCallback, useRef } from 'preact/hooks'
import { countGrouped } from '../../../wording/count.ts'
import { isDecidedByResource } from '../../../wording/decision.ts'
import { delaysAll } from '../../../wording/fault-words.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { DAY_MS, toMoment } from '../../../wording/times.ts'
import { BreakingPath, Status, withCode } from '../../parts/marked-text.tsx'
import type { StateName } from '../../parts/marked-text.tsx'
import { EmptyState } from '../../parts/placeholders.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { SEVERITY_STATES } from './client-review.tsx'
import { ActiveFilters } from './filters.tsx'
import { countUpTo, durationMs, isRefused, toClock } from './traffic-lines.ts'
import type { Line } from './traffic-lines.ts'
import {
  allLines,
  faultOf,
  foundAt,
  heldAt,
  isFiltered,
  open,
  requestCount,
  reviewFindings,
  requestReason,
  selected,
  shownLines,
} from './traffic-state.ts'

/** Requests and commands, the latest first. While the user is busy with the list, new entries are counted but not shown. */
export function RequestList({ empty }: { empty: ComponentChildren }) {
  const lines = shownLines.value
  const hold = useHold()
  const held = heldAt.value
  const count = held === null ? lines.length : countUpTo(lines, held)
  const rowHeight = useCallback(
    (index: number) => heightOf(lines[count - 1 - index]),
    [lines, count, reviewFindings.value],
  )
  if (allLines.value.length === 0) return <>{empty}</>
  return (
    <div class="requests" {...hold.handlers}>
      <div class="row shown">
        <EntryCount added={lines.slice(count)} show={hold.release} />
        <ActiveFilters />
      </div>
      {lines.length === 0 ? (
        <EmptyState icon={Search} title="Nothing matches">
          None of the {allLines.value.length.toLocaleString('en')} entries has all of this.
        </EmptyState>
      ) : (
        <VirtualTable
          label="Requests and commands"
          columns={COLUMNS}
          count={count}
          rowHeight={rowHeight}
          rowAt={(index) => lines[count - 1 - index]}
          keyOf={({ sequence }) => sequence}
          selected={selected.value}
          onSelect={({ sequence }) => open(sequence)}
        />
      )}
    </div>
  )
}

/** The number of entries or, if the list hides new entries, a button in the same place that shows them. */
function EntryCount({ added, show }: { added: readonly Line[]; show: () => void }) {
  if (added.length > 0) {
    const isOfRequests = added.every(({ entry }) => entry.kind === 'request')
    const [one, many] = isOfRequests ? ['request', 'requests'] : ['entry', 'entries']
    return (
      <button type="button" class="button added" onClick={show}>
        {countGrouped(added.length, `new ${one}`, `new ${many}`)}, show{' '}
        {added.length === 1 ? 'it' : 'them'}
      </button>
    )
  }
  const { value: lines } = allLines
  const all = countGrouped(lines.length, 'entry', 'entries')
  const commands = lines.length - requestCount.value
  return (
    <small class="soft">
      {isFiltered.value
        ? `${shownLines.value.length.toLocaleString('en')} of ${all}`
        : `${all}, the latest first`}
      {commands > 0 &&
        `: ${countGrouped(requestCount.value, 'request')}, ${countGrouped(commands, 'command')}`}
    </small>
  )
}

type Reason = 'scrolled' | 'pointed at' | 'in focus'

/** Holds the list still while it is scrolled down, under the mouse or in focus, and then until no entry is selected. */
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
    // Releases the list if the journal has started again, or all held entries have been dropped.
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

/** The heading of the last column is only for screen readers, because the reason is on a line of its own below the path. */
const COLUMNS: readonly Column<Line>[] = [
  { title: 'No.', align: 'end', cell: ({ sequence }) => sequence },
  { title: 'Status', cell: toStatus },
  { title: 'Path after /api/v1', cell: toTarget },
  { title: 'ms', align: 'end', isMinor: true, cell: toMs },
  { title: 'Time', align: 'end', cell: toWhen },
  { title: 'Why', cell: toWhy },
]

function toStatus({ entry }: Line) {
  if (entry.kind === 'command') return <small class="is-command">command</small>
  return <Status status={entry.status} />
}

const API_PREFIX = '/api/v1'

function toTarget({ entry, title }: Line) {
  if (entry.kind === 'command') return <bdi>{title}</bdi>
  const isBelow = title.startsWith(`${API_PREFIX}/`)
  return (
    <>
      {!isBelow && <small class="soft">not below /api/v1: </small>}
      <code>
        {entry.method !== 'GET' && `${entry.method.slice(0, 12)} `}
        <bdi>
          <BreakingPath path={isBelow ? title.slice(API_PREFIX.length) : title} />
        </bdi>
      </code>
    </>
  )
}

/** Formats the time of a line, with its day if the latest line is of a later day. */
function toWhen({ at }: Line): string {
  const latest = allLines.value.at(-1)?.at ?? at
  return Math.floor(at / DAY_MS) < Math.floor(latest / DAY_MS) ? toMoment(at) : toClock(at)
}

function toMs({ entry }: Line) {
  if (entry.kind === 'command') return null
  const ms = durationMs(entry)
  return ms === 0 ? '–' : ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })
}

function toWhy(line: Line) {
  const note = noteOf(line)
  if (!note) return null
  return (
    <small>
      {note.state && <span class={`state ${note.state}`} role="img" aria-label={note.name} />}
      <bdi>{withCode(note.text)}</bdi>
    </small>
  )
}

interface Note {
  /** Coloured state before the text; omitted unless the note is a finding or the request failed. */
  state?: StateName
  /** Label of the state for screen readers; omitted without a state. */
  name?: string
  text: string
}

/**
 * Returns the first that applies: an error found by the review, the reason for the response, a milder finding, or a delay by a
 * fault. Undefined if none does.
 */
function noteOf({ entry, sequence }: Line): Note | undefined {
  if (entry.kind === 'command') return undefined
  const [found, ...others] = foundAt(sequence)
  if (found && (found.check.severity === 'error' || isDecidedByResource(entry))) {
    const { id, severity } = found.check
    const more = others.length === 0 ? '' : ` +${others.length}`
    const text = `${fitOnLine(found.message)}${more}`
    return { state: SEVERITY_STATES[severity], name: id, text }
  }
  const text = requestReason(entry)
  if (text !== '') return isRefused(entry) ? { state: 'failed', name: 'failed', text } : { text }
  const { delay_ms: delayMs } = entry
  const known = delayMs > 0 ? entry.faults.flatMap((id) => faultOf(id) ?? []) : []
  const slowing = known.find((fault) => !delaysAll(fault))
  return slowing && { text: `Delayed on purpose by fault ${slowing.id}: ${Math.round(delayMs)} ms` }
}

const ROW_HEIGHT = 33
const ROW_HEIGHT_WITH_NOTE = 52

/** Estimates the height of a row in pixels, as in the CSS. The table measures the rows that it draws. */
function heightOf(line: Line | undefined): number {
  if (!line || line.entry.kind === 'command') return ROW_HEIGHT
  const hasNote = line.entry.decided_by !== '' && !isDecidedByResource(line.entry)
  return hasNote || foundAt(line.sequence).length > 0 ? ROW_HEIGHT_WITH_NOTE : ROW_HEIGHT
}
