import timers from 'node:timers'

/** Node's own, as Jest's jsdom has no global one; taken at import, as tests of users may replace it. */
const { setImmediate } = timers

/** Lets everything else that is ready be done first. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
