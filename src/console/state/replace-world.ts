import { orNull } from '../api/api-error.ts'
import { api, countSent } from '../api/client.ts'
import { REPLACING_COMMANDS } from '../api/undo.ts'
import type { Command, Snapshot } from '../api/types.ts'
import { journal, commandTypeOf } from './shown-journal.ts'
import { ask } from './notices.ts'
import type { Question } from './notices.ts'

/** Takes a snapshot of the world to restore later; null if the server refuses, usually because the world is too large. */
export function readSnapshot(): Promise<Snapshot | null> {
  return orNull(api.get('/snapshots'), ({ status }) => status > 0)
}

/**
 * Asks the user to confirm the replacement of the world. Resolves to a snapshot for Undo; null if the server refuses to take one,
 * which the question mentions; undefined if the user declines.
 */
export async function askToReplace(question: Question): Promise<Snapshot | null | undefined> {
  const canUndo = (await readSnapshot()) !== null
  const note = canUndo
    ? 'Undo puts this world back, without the requests in Traffic.'
    : 'This cannot be undone, because the world is too large to be put back.'
  if (!(await ask({ ...question, text: `${question.text} ${note}` }))) return undefined
  return canUndo ? readSnapshot() : null
}

/** Resolves to true if a command may be undone. If the undo would also discard later changes or requests, the user decides. */
export async function mayUndo({ type }: Command): Promise<boolean> {
  if (!REPLACING_COMMANDS.includes(type)) return true
  const applied = await api.get('/commands')
  const at = applied.findLastIndex((command) => commandTypeOf(command) === type)
  // Later commands of this page do not count, because the user has already undone their changes.
  const isLast = at !== -1 && applied.length - 1 - at === countSent()
  const sequence = applied[at]?.sequence ?? Infinity
  const { entries } = journal.peek()
  const hasRequests = entries.some((entry) => entry.kind === 'request' && entry.sequence > sequence)
  if (isLast && !hasRequests) return true
  return ask(isLast ? DISCARDS_REQUESTS : DISCARDS_CHANGES)
}

/**
 * Resolves to true if exactly `count` commands have been applied to the world; otherwise, or if `count` is null, asks the user for
 * consent to discard other changes.
 */
export async function mayRestore(count: number | null): Promise<boolean> {
  return (await api.get('/commands')).length === count || ask(DISCARDS_CHANGES)
}

const DISCARDS_CHANGES = {
  title: 'Discard other changes too?',
  text: 'Others have changed this world since: Traffic lists them. Putting it back discards their changes, and the requests.',
  button: 'Put it back',
}

const DISCARDS_REQUESTS = {
  title: 'Discard the requests too?',
  text: 'Requests have come since. Putting the world back discards them, with what they counted in the rate windows.',
  button: 'Put it back',
}
