import type { WorldOrigin } from '../api/types.ts'
import { currentWorld } from './current-world.ts'

let latest: { world: string; origin: WorldOrigin } | undefined

/** Notes how the world that is shown was created, as it was read last. */
export function noteOrigin(origin: WorldOrigin): void {
  latest = { world: currentWorld.peek(), origin }
}

/** How the world that is shown was created; null until that was read. */
export function originHere(): WorldOrigin | null {
  return latest?.world === currentWorld.peek() ? latest.origin : null
}
