import { signal } from '@preact/signals'
import type { Command, JournalEntry, JournalRequest } from '../api/types.ts'

/** Number of entries that remain after old entries are dropped. */
const MAXIMUM_ENTRIES = 10_000

/** Number of entries above the maximum before old entries are dropped, so that not every new entry shifts the array. */
const SLACK = 1000

interface Journal {
  /** The latest entries, the oldest first. The array keeps its identity when entries change. */
  entries: readonly JournalEntry[]
  requests: number
}

const entries: JournalEntry[] = []
let requests = 0

export const journal = signal<Journal>({ entries, requests })

/** Returns the sequence of the latest entry; 0 if there is none. */
export function latestSequence(): number {
  return entries.at(-1)?.sequence ?? 0
}

export function targetOf({ path, query }: JournalRequest): string {
  return query === '' ? path : `${path}?${query}`
}

export function addEntries(added: readonly JournalEntry[]): void {
  for (const entry of added) {
    // The sequence goes back after the world is reset or replaced.
    if (entry.sequence <= latestSequence()) empty()
    if (entry.kind === 'request') requests += 1
    else if (commandTypeOf(entry) === 'journal.clear') forgetRequests()
    entries.push(entry)
  }
  if (entries.length > MAXIMUM_ENTRIES + SLACK) {
    const dropped = entries.splice(0, entries.length - MAXIMUM_ENTRIES)
    requests -= dropped.filter(({ kind }) => kind === 'request').length
  }
  journal.value = { entries, requests }
}

/** Empties the shown journal: before the stream is read from its beginning, or after a snapshot is restored. */
export function clearJournal(): void {
  empty()
  journal.value = { entries, requests }
}

function empty(): void {
  entries.length = 0
  requests = 0
}

function forgetRequests(): void {
  const commands = entries.filter(({ kind }) => kind === 'command')
  empty()
  entries.push(...commands)
}

export function commandTypeOf({ command }: { command: unknown }): Command['type'] {
  return (command as Command).type
}
