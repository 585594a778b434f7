/** The time in epoch milliseconds, by a clock that was taken at import, so that fake timers of a test have no effect on it. */
export const realNow = Date.now

let aheadMs = 0
let stoppedMs: number | undefined

/** The clock of the machine as worlds read it, in epoch milliseconds. */
export function machineNow(): number {
  return stoppedMs ?? Date.now() + aheadMs
}

/**
 * Sets how far it is ahead of the real one, in milliseconds (negative for behind), in step with the clock of a command that is
 * rehearsed. It applies to all worlds of this process.
 */
export function shiftMachineClock(ms: number): void {
  aheadMs = ms
  stoppedMs = undefined
}

/** Stops it at a time, in epoch milliseconds, to replay something as it was then. It applies to all worlds of this process too. */
export function stopMachineClock(ms: number): void {
  stoppedMs = ms
}

/** Lets it run from where it stands. */
export function runMachineClock(): void {
  shiftMachineClock(machineNow() - Date.now())
}
