import { setTimeout } from './timers.ts'

/** Lets everything else that waits in this process, or in this tab, go first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0))
}
