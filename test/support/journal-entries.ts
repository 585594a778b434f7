import type { Journal } from '../../src/journal/journal.ts'

type JournalEntry = NonNullable<ReturnType<Journal['after']>>

/** The requests and commands of a journal, in order. */
export function journalEntries(journal: Journal): JournalEntry[] {
  const entries: JournalEntry[] = []
  for (let entry = journal.after(0); entry; entry = journal.after(entry.sequence))
    entries.push(entry)
  return entries
}
