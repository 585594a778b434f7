import { decidingFault } from '../../../wording/decision.ts'
import { commandSentence } from '../../../wording/command-sentence.ts'
import { commandWords, SHOWN_LENGTH, fitOnLine } from '../../../wording/fit-on-line.ts'
import type { JournalEntry, JournalRequest } from '../../api/types.ts'
import { targetOf } from '../../state/shown-journal.ts'

/** A journal entry with the values that the list derives from it, each computed once. */
export interface Line {
  entry: JournalEntry
  sequence: number
  /** Arrival time in milliseconds on the rate clock; NaN if it is unknown. */
  at: number
  /** The request's method and path, or the command as a sentence; short enough for a table. */
  title: string
  /** Text that the search looks in, in lower case. */
  text: string
}

const SEARCHED_LENGTH = 2000

const known = new WeakMap<JournalEntry, Line>()

export function lineOf(entry: JournalEntry): Line {
  let line = known.get(entry)
  if (!line) {
    line = toLine(entry)
    known.set(entry, line)
  }
  return line
}

function toLine(entry: JournalEntry): Line {
  const { sequence, clock } = entry
  const title = entry.kind === 'request' ? targetOf(entry) : commandSentence(entry.command)
  const facts = entry.kind === 'request' ? factsOf(entry) : commandWords(entry.command)
  const text = `${title} ${facts}`
  return {
    entry,
    sequence,
    at: Date.parse(clock.rate_clock),
    title: fitOnLine(title, SHOWN_LENGTH),
    text: text.slice(0, SEARCHED_LENGTH).toLowerCase(),
  }
}

function factsOf({ method, status, token, decided_by, rule, route, gaps }: JournalRequest): string {
  return [method, status, token, decided_by, rule, route, ...gaps].join(' ')
}

/** Returns the number of lines up to and including a sequence. The lines must be in ascending sequence. */
export function countUpTo(all: readonly Line[], sequence: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((all[middle]?.sequence ?? 0) <= sequence) low = middle + 1
    else high = middle
  }
  return low
}

export const FILTER_NAMES = [
  'q',
  'path',
  /** A status, its first digit, `error` for 4xx, 5xx and no response, `finding`, or `command`. */
  'status',
  'token',
  /** An endpoint, such as `GET /projects/{project}`. */
  'operation',
  /** Id of a fault that affected the request, or `any` for requests that a fault decided. */
  'fault',
  /** The first and the last sequence in the selected range of time. */
  'from',
  'to',
] as const

/** Filter of the list, kept in the address. Undefined and empty values do not narrow the list. */
export type Filter = { [Name in (typeof FILTER_NAMES)[number]]?: string | undefined }

/** Changes that remove all filters from the address. */
export const NO_FILTER: Filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]))

/**
 * Returns a function that tests a line. A command passes only filters by words, by the status `command` and by range.
 * `hasFinding` returns true for the sequence of a request with findings.
 */
export function matcherOf(
  filter: Filter,
  hasFinding: (sequence: number) => boolean = () => false,
): (line: Line) => boolean {
  const { q = '', path, status = '', token, operation, fault } = filter
  const words = q.toLowerCase().split(/\s+/)
  const from = Number(filter.from ?? 0)
  const to = Number(filter.to ?? Infinity)
  const isOfRequests = [path, token, operation, fault].some((value) => (value ?? '') !== '')
  return ({ entry, sequence, text }) => {
    if (sequence < from || sequence > to) return false
    if (!words.every((word) => text.includes(word))) return false
    if (entry.kind === 'command') return !isOfRequests && (status === '' || status === 'command')
    return (
      hasStatus(entry, status, hasFinding) &&
      isEither(path, entry.path) &&
      isEither(token, entry.token ?? 'none') &&
      isEither(operation, entry.route ?? 'none') &&
      ((fault ?? '') === '' ||
        (fault === 'any'
          ? decidingFault(entry) !== undefined
          : entry.faults.includes(Number(fault))))
    )
  }
}

function hasStatus(
  entry: JournalRequest,
  wanted: string,
  hasFinding: (sequence: number) => boolean,
): boolean {
  if (wanted === 'error') return isRefused(entry)
  return wanted === 'finding' ? hasFinding(entry.sequence) : String(entry.status).startsWith(wanted)
}

/** True for a 4xx or 5xx response, and for a request without a response. */
export function isRefused({ status }: JournalRequest): boolean {
  return status === 0 || status >= 400
}

function isEither(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === '' || wanted === value
}

/** Returns the options of the filters: the values that occur in the lines. */
export function choicesOf(lines: readonly Line[]) {
  const statuses = new Set<string>()
  const tokens = new Set<string>()
  const operations = new Set<string>()
  const faults = new Set<string>()
  for (const { entry } of lines) {
    if (entry.kind !== 'request') continue
    statuses.add(String(entry.status))
    tokens.add(entry.token ?? 'none')
    operations.add(entry.route ?? 'none')
    const fault = decidingFault(entry)
    if (fault !== undefined) faults.add(String(fault))
  }
  const sorted = (values: Set<string>) => [...values].toSorted(compare)
  return {
    statuses: sorted(statuses),
    tokens: sorted(tokens),
    operations: sorted(operations),
    faults: sorted(faults),
  }
}

const { compare } = new Intl.Collator('en', { numeric: true })

/** Formats a time in UTC: `09:30:05`; a dash if it is unknown. */
export function toClock(ms: number): string {
  return Number.isNaN(ms) ? '–' : new Date(ms).toISOString().slice(11, 19)
}

type Timing = Pick<JournalRequest, 'duration_ms' | 'delay_ms'>

/** Returns the client's wait in milliseconds, including delays of faults; 0 if it is unknown. */
export function durationMs({ duration_ms, delay_ms }: Timing): number {
  return (duration_ms ?? 0) + delay_ms
}

/** Formats the client's wait: `0.4 ms`, `250 ms`, `2.0 s`; a dash if it is unknown. */
export function durationOf(timing: Timing): string {
  const ms = durationMs(timing)
  if (ms === 0) return '–'
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}
