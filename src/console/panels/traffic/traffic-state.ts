import { computed, signal } from '@preact/signals'
import { journal } from '../../state/kept-journal.ts'
import { navigate, query } from '../../state/location.ts'
import { choicesOf, FILTER_NAMES, matcherOf, NO_FILTER, lineOf } from './traffic-lines.ts'
import type { Filter, Line } from './traffic-lines.ts'
import type { FaultStatus, JournalRequest, Review } from '../../api/types.ts'
import { faultResponse } from '../../../wording/fault-words.ts'
import { decidingFault, reasonOf } from '../../../wording/decision.ts'
import { openedFile } from './opened-file.ts'

/** The lines of the open file, or those of the journal; in sequence. */
export const allLines = computed<readonly Line[]>(() => {
  const file = openedFile.value
  return file ? file.lines : journal.value.entries.map(lineOf)
})

/** What filters choose from; the same object until that changes. */
export const choices = computed(() => {
  const next = choicesOf(allLines.value)
  const key = JSON.stringify(next)
  if (key !== lastChoices.key) lastChoices = { key, choices: next }
  return lastChoices.choices
})
let lastChoices = { key: '', choices: choicesOf([]) }

/** The filter, as text: it changes less often than the address. */
const filterKey = computed(() =>
  JSON.stringify(Object.fromEntries(FILTER_NAMES.map((name) => [name, query.value[name]]))),
)

export const filter = computed<Filter>(() => JSON.parse(filterKey.value) as Filter)

/** The lines that match all filters but the range of time. */
export const linesInAnyTime = computed<readonly Line[]>(() => {
  const { from: _from, to: _to, ...rest } = filter.value
  const isNarrowed = Object.values(rest).some((value) => (value ?? '') !== '')
  return isNarrowed ? allLines.value.filter(matcherOf(rest)) : allLines.value
})

/** The lines that the list shows. */
export const shownLines = computed<readonly Line[]>(() => {
  const { from, to } = filter.value
  if (from === undefined && to === undefined) return linesInAnyTime.value
  return linesInAnyTime.value.filter(matcherOf({ from, to }))
})

export const isFiltered = computed(() =>
  Object.values(filter.value).some((value) => (value ?? '') !== ''),
)

export function setFilter(changes: Filter): void {
  navigate({ ...changes }, { replace: true })
}

export function clearFilter(): void {
  navigate(NO_FILTER, { replace: true })
}

/** The sequence of the entry that is selected. */
export const selected = computed(() => {
  const sequence = Number(query.value['request'])
  return sequence > 0 ? sequence : undefined
})

export function select(sequence: number | undefined): void {
  // From one to another the back button closes what is open.
  const replace = sequence !== undefined && selected.peek() !== undefined
  navigate({ request: sequence === undefined ? undefined : String(sequence) }, { replace })
}

/** What the review has found, each at the request where it happened. */
export const reviewFindings = signal<
  readonly { check: Review['checks'][number]; message: string; sequence: number | undefined }[]
>([])

/** What it has found at a request. */
export const foundAt = (sequence: number) =>
  reviewFindings.value.filter((finding) => finding.sequence === sequence)

/** Faults that have been armed while this panel was shown, by their ids. */
export const knownFaults = signal<ReadonlyMap<number, FaultStatus>>(new Map())

/** A fault by its id, where it is known. A file may be of another world, whose faults have the same ids. */
export function faultOf(id: number | undefined): FaultStatus | undefined {
  return openedFile.value ? undefined : knownFaults.value.get(id ?? 0)
}

/** `Fault 3: a 503`. */
export function titleOfFault(id: number): string {
  const fault = faultOf(id)
  return fault ? `Fault ${id}: ${faultResponse(fault)}` : `Fault ${id}`
}

/** Why a response of the list is what it is. */
export function requestReason(request: JournalRequest): string {
  return reasonOf(request, faultOf(decidingFault(request)))
}

/** The last sequence that the list shows while it keeps its place; null while it goes along. */
export const heldAt = signal<number | null>(null)
