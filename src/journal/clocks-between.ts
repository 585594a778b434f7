import type { ClockState } from './clock-state.ts'

/** From when to when each clock showed between two readings. */
export function clocksBetween(began: ClockState, ended: ClockState) {
  return {
    world: { from: began.now, to: ended.now },
    rate: { from: began.rate_clock, to: ended.rate_clock },
  }
}
