const MINUTE_S = 60
const HOUR_S = 3600

/** A duration for people: `0.3 s`, `45 s`, `2 min`, `1 h 20 min`. */
export function sayDuration(ms: number): string {
  if (ms < 9950) return `${Math.round(ms / 100) / 10} s`
  const s = Math.round(ms / 1000)
  if (s < 2 * MINUTE_S && s % MINUTE_S !== 0) return `${s} s`
  const minutes = Math.round(s / MINUTE_S)
  if (s < HOUR_S) return `${minutes} min`
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}
