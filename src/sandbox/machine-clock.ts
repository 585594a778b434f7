/** The time in epoch milliseconds, by the clock taken at import, which fake timers of a test do not affect. */
export const realNow = Date.now

let aheadMs = 0
let stoppedMs: number | undefined

/** Returns the machine's clock as worlds read it, in epoch milliseconds. */
export function machineNow(): number {
  return stoppedMs ?? Date.now() + aheadMs
}

/**
 * Sets the lead of the machine's clock over the real one, in milliseconds (negative if it is behind), in step with the clock of
 * a command that is rehearsed. It applies to all worlds of this process.
 */
export function shiftMachineClock(ms: number): void {
  aheadMs = ms
  stoppedMs = undefined
}

/**
 * Stops the machine's clock at a time, in epoch milliseconds, for a replay as of that time. It also applies to all worlds of
 * this process.
 */
export function stopMachineClock(ms: number): void {
  stoppedMs = ms
}

/** Restarts the machine's clock from the time that it shows. */
export function runMachineClock(): void {
  shiftMachineClock(machineNow() - Date.now())
}
