import type { ClockState } from './clock-state.ts'

/** What each clock showed at the first and at the second of two readings. */
export function clocksBetween(began: ClockState, ended: ClockState) {
  return {
    world: { from: began.now, to: ended.now },
    rate: { from: began.rate_clock, to: ended.rate_clock },
  }
}
