import { signal } from '@preact/signals'
import { ownWorld } from '../api/key.ts'
import { api } from '../api/client.ts'
import { currentWorld, DEFAULT_WORLD } from './current-world.ts'

/** More to choose from would be none that anybody finds; *Partners* searches all. */
const LISTED = 200

/** The isolated worlds, the oldest first, each with what it is called. */
const isolated = signal<ReadonlyMap<string, string>>(new Map())

export async function readWorlds(): Promise<void> {
  if (ownWorld.peek() !== undefined) return
  const { worlds } = await api.get('/worlds', { limit: LISTED })
  const read = new Map(
    worlds.map(({ id, partner }) => [
      id,
      partner === undefined ? `World ${id}` : `World of ${partner}`,
    ]),
  )
  if ([...read].join() !== [...isolated.peek()].join()) isolated.value = read
}

/** The worlds to choose from, the default one first: the id of each, and what it is called. */
export function worldsToChoose(): (readonly [id: string, name: string])[] {
  const { value: current } = currentWorld
  if (ownWorld.value !== undefined) return [[ownWorld.value, '']]
  const known = [[DEFAULT_WORLD, 'Default world'], ...isolated.value] as const
  const isListed = known.some(([id]) => id === current)
  return [...known, ...(isListed ? [] : [[current, `World ${current}`] as const])]
}
