/** `09:30:05.123`, in UTC; a dash where the time is unknown. */
export function toClock(ms: number): string {
  return Number.isNaN(ms) ? '–' : new Date(ms).toISOString().slice(11, 23)
}
