import type { Pause } from '../contract/steps.ts'
import { setImmediate } from '../contract/timers.ts'

/** How long a command may work before it is the turn of other clients. */
const TURN_MS = 10

/** Lets other clients be answered whenever a turn is over. */
export function createPause(): Pause {
  let endMs = 0
  return () => {
    if (performance.now() < endMs) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        endMs = performance.now() + TURN_MS
        resolve()
      })
    })
  }
}
