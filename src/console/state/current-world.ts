import { effect, signal } from '@preact/signals'
import { ownWorld } from '../api/key.ts'
import { outdate } from './connection.ts'
import { notify } from './notices.ts'
import { navigate, query } from './location.ts'

export const DEFAULT_WORLD = 'default'

/** The id of the world that is shown. */
export const currentWorld = signal(query.value['world'] ?? DEFAULT_WORLD)

effect(() => {
  const world = ownWorld.value ?? query.value['world'] ?? DEFAULT_WORLD
  if (world === currentWorld.peek()) return
  currentWorld.value = world
  outdate()
})

/** Shows another world, without what is only in this one; with `panel: undefined` from the first panel on. */
export function pickWorld(id: string, changes: { panel?: undefined } = {}): void {
  navigate({
    ...changes,
    world: id === DEFAULT_WORLD ? undefined : id,
    agency: undefined,
    project: undefined,
    report: undefined,
    request: undefined,
    partner: undefined,
  })
}

/** Shows the default world in place of one that is not there any more. */
export function leaveWorld(): void {
  const id = currentWorld.peek()
  if (id === DEFAULT_WORLD) return
  notify(`World ${id} is not there any more. This is the default world.`, { isError: true })
  pickWorld(DEFAULT_WORLD)
}
