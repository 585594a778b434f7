/** The longest that faults delay a response together, its body included, in milliseconds. */
export function longestDelay(faults: readonly object[]): number {
  return faults.reduce((sum, fault) => {
    const { ms, max_ms } = fault as { ms?: number | undefined; max_ms?: number | undefined }
    return sum + (ms ?? max_ms ?? 0)
  }, 0)
}
