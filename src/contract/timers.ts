/** The native timers, saved at import so that a test's fake timers do not affect the sandbox. */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis

/** Calls `callback` after `ms`, without keeping the process alive until then. */
export function setTimeoutUnheld(callback: () => void, ms: number): void {
  // In a browser, a timer is a number.
  const timer: Partial<Pick<NodeJS.Timeout, 'unref'>> = setTimeout(callback, ms)
  timer.unref?.()
}

/** Resolves in a later turn of the event loop, so that pending work of the process or tab runs first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0))
}
