/** Returns the time in epoch milliseconds. Saved at import, so that fake timers of a test do not affect it. */
export const realNow = Date.now

let aheadMs = 0
let stoppedMs: number | undefined

/** Returns the time of the machine's clock, as seen by worlds, in epoch milliseconds. */
export function machineNow(): number {
  return stoppedMs ?? Date.now() + aheadMs
}

/**
 * Sets the lead of the machine's clock over the real clock, in milliseconds (negative if it is behind), and starts the machine's
 * clock. Applies to all worlds of this process.
 */
export function shiftMachineClock(ms: number): void {
  aheadMs = ms
  stoppedMs = undefined
}

/**
 * Stops the machine's clock at `ms`, in epoch milliseconds, so that a replay sees that time. Applies to all worlds of this process.
 */
export function stopMachineClock(ms: number): void {
  stoppedMs = ms
}

/** Lets the machine's clock run on from its current time. */
export function runMachineClock(): void {
  shiftMachineClock(machineNow() - Date.now())
}
