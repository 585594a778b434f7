/** `09:30:05.123`, in UTC; a dash where the time is unknown. */
export function toClock(ms: number): string {
  return Number.isNaN(ms) ? '–' : new Date(ms).toISOString().slice(11, 23)
}

const SECOND_MS = 1000
const MINUTE_S = 60

/** `42 s`, or `59 min`. */
export function toWait(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS))
  if (seconds < 2 * MINUTE_S) return `${seconds} s`
  return `${Math.ceil(seconds / MINUTE_S)} min`
}
