import { signal } from '@preact/signals'
import type { ClockState } from '../api/types.ts'

/** What the clocks show, to the second. Null until they were read. */
export interface Clocks {
  /** The world clock, in milliseconds since 1970. */
  worldMs: number
  /** The rate clock. */
  rateMs: number
  isFrozen: boolean
}

export const clocks = signal<Clocks | null>(null)

/** Both clocks as they were read, and when that was by the page's own. */
let reading: (Clocks & { readAt: number }) | undefined

/** Takes over what a command or the server says the clocks are. */
export function takeClock({ now, frozen, rate_clock }: ClockState): void {
  reading = {
    worldMs: Date.parse(now),
    rateMs: Date.parse(rate_clock),
    isFrozen: frozen,
    readAt: performance.now(),
  }
  tick()
}

const SECOND_MS = 1000

/** Lets the clocks go on between two readings. */
export function tick(): void {
  if (!reading) return
  const { worldMs, rateMs, isFrozen, readAt } = reading
  const passed = performance.now() - readAt
  const next = {
    worldMs: toSecond(isFrozen ? worldMs : worldMs + passed),
    rateMs: toSecond(rateMs + passed),
    isFrozen,
  }
  const { value } = clocks
  const isSame =
    value?.worldMs === next.worldMs && value.rateMs === next.rateMs && value.isFrozen === isFrozen
  if (!isSame) clocks.value = next
}

function toSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS
}
