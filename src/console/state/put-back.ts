import { ApiError } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import type { Command, Snapshot } from '../api/types.ts'
import { typeOf } from './journal.ts'
import { ask } from './question.ts'

/** Takes the world as it is, to be put back; null where it is too large for that. */
export async function takeSnapshot(): Promise<Snapshot | null> {
  try {
    return await api.get('/snapshots')
  } catch (error) {
    if (error instanceof ApiError && error.status > 0) return null
    throw error
  }
}

/** What restores the world as it is now, where it is not too large for that. */
export async function restoring(): Promise<Command[]> {
  const snapshot = await takeSnapshot()
  return snapshot ? [{ type: 'snapshot.restore', snapshot }] : []
}

/** Whether the world may be put back: it had these commands alone, or somebody agrees to discard the others. */
export async function mayPutBack(types: readonly string[] | null): Promise<boolean> {
  const applied = await api.get('/commands')
  return applied.map(typeOf).join() === types?.join() || ask(OTHERS)
}

const OTHERS = {
  title: 'Discard other changes too?',
  text: 'This world has been changed otherwise since then. Putting it back discards that as well.',
  act: 'Put it back',
}
