import { signal } from '@preact/signals'
import { ownWorld } from '../api/admin-key.ts'
import { api } from '../api/client.ts'
import { currentWorld, DEFAULT_WORLD } from './current-world.ts'

/** The ids of the isolated worlds that there are, the oldest first. */
const isolated = signal<readonly string[]>([])

export async function readWorlds(): Promise<void> {
  if (ownWorld.peek() !== undefined) return
  const ids = (await api.get('/worlds')).map(({ id }) => id)
  if (ids.join() !== isolated.peek().join()) isolated.value = ids
}

/** The ids of the worlds to choose from, the default one first. */
export function worldsToChoose(): string[] {
  if (ownWorld.value !== undefined) return [ownWorld.value]
  return [...new Set([DEFAULT_WORLD, ...isolated.value, currentWorld.value])]
}
