import type { JournalEntry, JournalRequest } from '../../api/types.ts'
import { commandWords, SHOWN_LENGTH, shorten } from '../../../wording/shorten.ts'
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
  const title = entry.kind === 'request' ? targetOf(entry) : commandWords(entry.command)
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
