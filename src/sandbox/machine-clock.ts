let aheadMs = 0

/** What worlds take for the clock of the machine, in epoch milliseconds. */
export function machineNow(): number {
  return Date.now() + aheadMs
}

/**
 * Sets how far that is ahead of the real one, in milliseconds, negative for behind: for the rehearsal of a command, whose own
 * clock is shifted as far. It applies to all worlds of this process.
 */
export function shiftMachineClock(ms: number): void {
  aheadMs = ms
}
