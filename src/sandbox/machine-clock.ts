let aheadMs = 0
let stoppedMs: number | undefined

/** What worlds take for the clock of the machine, in epoch milliseconds. */
export function machineNow(): number {
  return stoppedMs ?? Date.now() + aheadMs
}

/**
 * Sets how far that is ahead of the real one, in milliseconds, negative for behind: for the rehearsal of a command, whose own
 * clock is shifted as far. It applies to all worlds of this process.
 */
export function shiftMachineClock(ms: number): void {
  aheadMs = ms
  stoppedMs = undefined
}

/** Stops it at a time, in epoch milliseconds: for what is replayed as it was then. It applies to all worlds of this process too. */
export function stopMachineClock(ms: number): void {
  stoppedMs = ms
}

/** Lets it run from where it stands. */
export function runMachineClock(): void {
  shiftMachineClock(machineNow() - Date.now())
}
