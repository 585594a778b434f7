/** The timers as they were at import, so that fake timers of a test have no effect on the code that serves it. */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis

/** Calls back later, unless the process has nothing else to do until then. */
export function setTimeoutUnheld(callback: () => void, ms: number): void {
  // In a browser, a timer is a number.
  const timer: Partial<Pick<NodeJS.Timeout, 'unref'>> = setTimeout(callback, ms)
  timer.unref?.()
}

/** Lets everything else that waits in this process, or in this tab, go first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0))
}
