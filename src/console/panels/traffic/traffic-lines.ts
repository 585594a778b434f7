import { decidingFault } from '../../../wording/decision.ts'
import { commandSentence } from '../../../wording/command-sentence.ts'
import { commandWords, SHOWN_LENGTH, fitOnLine } from '../../../wording/fit-on-line.ts'
import type { JournalEntry, JournalRequest } from '../../api/types.ts'
import { targetOf } from '../../state/shown-journal.ts'

/** A journal entry with the values that the list derives from it. */
export interface Line {
  entry: JournalEntry
  sequence: number
  /** Time in epoch milliseconds on the rate clock; NaN if unknown. */
  at: number
  /** Path and query of the request, or the command as a sentence; cut to `SHOWN_LENGTH`. */
  title: string
  /** Searchable text in lower case, cut to `SEARCHED_LENGTH`. */
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

/** Returns the number of lines whose sequence is at most `sequence`. The lines must be in ascending sequence. */
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
  /** An endpoint, such as `GET /projects/{project}`, or `none` for an unknown path. */
  'operation',
  /** Id of a fault that affected the request, or `any` for requests that a fault decided. */
  'fault',
  /** First sequence in the selected range of time. */
  'from',
  /** Last sequence in the selected range of time. */
  'to',
] as const

/** Filters of the list, which are query parameters of the page. An undefined or empty value removes the filter. */
export type Filter = { [Name in (typeof FILTER_NAMES)[number]]?: string | undefined }

/** Changes for `navigate` that remove all filters. */
export const NO_FILTER: Filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]))

/**
 * Returns a function that tests a line against a filter. A command passes only filters by words, by range and by the status
 * `command`. `hasFinding` returns true for the sequence of a request with findings; if omitted, no request has any.
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

/** Returns the options of the filters: the statuses, tokens and endpoints of requests, and the faults that decided a response. */
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

/** Formats a time in UTC: `09:30:05`; a dash for NaN. */
export function toClock(ms: number): string {
  return Number.isNaN(ms) ? '–' : new Date(ms).toISOString().slice(11, 19)
}

type Timing = Pick<JournalRequest, 'duration_ms' | 'delay_ms'>

/**
 * Returns the duration of a request in milliseconds, including delays by faults. If the duration is unknown, returns the delays
 * alone.
 */
export function durationMs({ duration_ms, delay_ms }: Timing): number {
  return (duration_ms ?? 0) + delay_ms
}

/** Formats the duration of a request: `0.4 ms`, `250 ms`, `2.0 s`; a dash for 0, which usually means unknown. */
export function durationOf(timing: Timing): string {
  const ms = durationMs(timing)
  if (ms === 0) return '–'
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}
