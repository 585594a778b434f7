import type { JournalRequest } from '../../api/types.ts'

/** `09:30:05.123`, in UTC; a dash where the time is unknown. */
export function toClock(ms: number): string {
  return Number.isNaN(ms) ? '–' : new Date(ms).toISOString().slice(11, 23)
}

/** How long the client waited, with the delays of faults: `0.4 ms`, `250 ms`, `2.0 s`; a dash where that is unknown. */
export function durationOf({
  duration_ms,
  delay_ms,
}: Pick<JournalRequest, 'duration_ms' | 'delay_ms'>): string {
  const ms = (duration_ms ?? 0) + delay_ms
  if (ms === 0) return '–'
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}
