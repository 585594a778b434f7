import type { JournalEntry, JournalRequest } from '../../api/types.ts'
import { shorten } from '../../parts/texts.ts'
import { targetOf } from '../../state/journal.ts'

/** An entry of the journal, with what a list of many needs of it: made once, however often it is drawn. */
export interface Line {
  entry: JournalEntry
  sequence: number
  /** When it arrived, in milliseconds on the rate clock; NaN where that is unknown. */
  at: number
  /** The request's method and path, or the command's type and fields; short enough for a table. */
  title: string
  /** Everything that a search looks in, in lower case. */
  text: string
}

/** The length of a text in a table, of which the rest would only take time to lay out. */
const SHOWN_LENGTH = 300
const SEARCHED_LENGTH = 2000

const lines = new WeakMap<JournalEntry, Line>()

export function lineOf(entry: JournalEntry): Line {
  let line = lines.get(entry)
  if (!line) {
    line = toLine(entry)
    lines.set(entry, line)
  }
  return line
}

function toLine(entry: JournalEntry): Line {
  const { sequence, clock } = entry
  const title = entry.kind === 'request' ? targetOf(entry) : summaryOf(entry.command)
  const text = entry.kind === 'request' ? `${title} ${factsOf(entry)}` : title
  return {
    entry,
    sequence,
    at: Date.parse(clock.rate_clock),
    title: shorten(title, SHOWN_LENGTH),
    text: text.slice(0, SEARCHED_LENGTH).toLowerCase(),
  }
}

function factsOf({ method, status, token, decided_by, rule, route, gaps }: JournalRequest): string {
  return [method, status, token, decided_by, rule, route, ...gaps].join(' ')
}

/** A command by its type and its fields; what a field has within it is left out, which may be a whole world. */
function summaryOf(command: unknown): string {
  if (typeof command !== 'object' || command === null) return ''
  const { type, ...fields } = command as Record<string, unknown>
  const rest = Object.entries(fields).map(([name, value]) => `${name} ${valueOf(value)}`)
  return [String(type), ...rest].join(' ')
}

function valueOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value !== 'object' || value === null) return shorten(String(value), SHOWN_LENGTH)
  const inner = Object.entries(value).map(([name, item]) =>
    typeof item === 'object' ? name : `${name} ${shorten(String(item), 40)}`,
  )
  return shorten(`{ ${inner.slice(0, 8).join(', ')} }`, SHOWN_LENGTH)
}

/** How many of the lines, which are in sequence, are up to this one. */
export function countUpTo(all: readonly Line[], sequence: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((all[middle]?.sequence ?? 0) <= sequence) low = middle + 1
    else high = middle
  }
  return low
}
