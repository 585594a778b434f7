/** Stops the machine's clock in this process. Returns a function that lets it go on. */
export function stopClock() {
  const { now } = Date
  Date.now = () => Date.UTC(2026, 2, 2, 9)
  return () => {
    Date.now = now
  }
}
