import type { Explanation } from '../../api/types.ts'
import { clocks } from '../../state/clock.ts'

/**
 * The world clock as far as an explanation goes: a clock that was moved, or has come to the next change, has to be
 * explained again before anything shows it.
 */
export function nowOf({ now, changes }: Explanation): number {
  const readMs = Date.parse(now)
  const { value } = clocks
  if (!value || value.isFrozen) return readMs
  const nextMs = changes[0] ? Date.parse(changes[0].at) : Infinity
  return Math.min(Math.max(value.worldMs, readMs), nextMs - 1)
}
