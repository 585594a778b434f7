import { computed, signal } from '@preact/signals'
import { journal } from '../../state/shown-journal.ts'
import { navigate, query } from '../../state/location.ts'
import {
  choicesOf,
  FILTER_NAMES,
  isRefused,
  matcherOf,
  NO_FILTER,
  lineOf,
} from './traffic-lines.ts'
import type { Filter, Line } from './traffic-lines.ts'
import type { FaultStatus, JournalRequest, Review } from '../../api/types.ts'
import { faultResponse } from '../../../wording/fault-words.ts'
import { decidingFault, reasonOf } from '../../../wording/decision.ts'
import { knownFaults } from '../../state/armed-faults.ts'
import { openedFile } from './opened-file.ts'

/** The lines of the open file, or of the journal if no file is open, in ascending sequence. */
export const allLines = computed<readonly Line[]>(() => {
  const file = openedFile.value
  return file ? file.lines : journal.value.entries.map(lineOf)
})

/** Options of the filters as JSON, so that new lines with the same options cause no update. */
const choicesKey = computed(() => JSON.stringify(choicesOf(allLines.value)))

export const choices = computed(() => JSON.parse(choicesKey.value) as ReturnType<typeof choicesOf>)

/** The filter as JSON, so that changes of other query parameters cause no update. */
const filterKey = computed(() =>
  JSON.stringify(Object.fromEntries(FILTER_NAMES.map((name) => [name, query.value[name]]))),
)

export const filter = computed<Filter>(() => JSON.parse(filterKey.value) as Filter)

/** A finding of the review, listed at its last request. */
export interface FoundMistake {
  check: Review['checks'][number]
  message: string
  instead: string
}

/** Findings of the review, by the sequence of their last request. */
export const reviewFindings = signal<ReadonlyMap<number, readonly FoundMistake[]>>(new Map())

/** Returns the findings listed at a request; empty while a file is open, because a file has no review. */
export function foundAt(sequence: number): readonly FoundMistake[] {
  return openedFile.value ? [] : (reviewFindings.value.get(sequence) ?? [])
}

export const requestCount = computed(() =>
  openedFile.value
    ? allLines.value.filter(({ entry }) => entry.kind === 'request').length
    : journal.value.requests,
)

export const lineCounts = computed(() => {
  let [error, finding] = [0, 0]
  for (const { entry, sequence } of allLines.value) {
    if (entry.kind === 'command') continue
    if (isRefused(entry)) error += 1
    if (foundAt(sequence).length > 0) finding += 1
  }
  return { error, finding }
})

/** Lines that match the filters, regardless of the range of time. */
export const linesInAnyTime = computed<readonly Line[]>(() => {
  const { from: _from, to: _to, ...rest } = filter.value
  if (!narrows(rest)) return allLines.value
  return allLines.value.filter(matcherOf(rest, (sequence) => foundAt(sequence).length > 0))
})

export const shownLines = computed<readonly Line[]>(() => {
  const { from, to } = filter.value
  if (from === undefined && to === undefined) return linesInAnyTime.value
  return linesInAnyTime.value.filter(matcherOf({ from, to }))
})

export const isFiltered = computed(() => narrows(filter.value))

function narrows(of: Filter): boolean {
  return Object.values(of).some((value) => (value ?? '') !== '')
}

export function setFilter(changes: Filter): void {
  navigate({ ...changes }, { replace: true })
}

export function clearFilter(): void {
  navigate(NO_FILTER, { replace: true })
}

/**
 * View that is open beside the list: an entry by its sequence, the review of the client, or the limits of all tokens. Undefined
 * if none is open.
 */
export const opened = computed(() => {
  const { request = '' } = query.value
  if (request === 'review' || request === 'limits') return request
  const sequence = Number(request)
  return sequence > 0 ? sequence : undefined
})

export const selected = computed(() =>
  typeof opened.value === 'number' ? opened.value : undefined,
)

export function open(view: number | 'review' | 'limits' | undefined): void {
  // A change from one view to another replaces the entry in the browser history, so that the back button closes the view.
  const replace = view !== undefined && opened.peek() !== undefined
  navigate({ request: view === undefined ? undefined : String(view) }, { replace })
}

/** Returns a fault of `knownFaults`; undefined while a file is open, because the faults in the file may have the same ids. */
export function faultOf(id: number | undefined): FaultStatus | undefined {
  return openedFile.value ? undefined : knownFaults.value.get(id ?? 0)
}

export function titleOfFault(id: number): string {
  const fault = faultOf(id)
  return fault ? `Fault ${id}: ${faultResponse(fault)}` : `Fault ${id}`
}

/** Describes the reason for a response; empty if the response is ordinary or its cause is unknown. */
export function requestReason(request: JournalRequest): string {
  return reasonOf(request, faultOf(decidingFault(request)))
}

/** Last sequence in the list while it is held still; null while the list follows the journal. */
export const heldAt = signal<number | null>(null)
