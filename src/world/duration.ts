/** A calendar duration, as in ISO 8601. */
export interface Duration {
  months: number
  /** The rest of the duration, in milliseconds: a day is 24 hours, because the clock is in UTC. */
  ms: number
}

const ISO_DURATION =
  /^P(?=.)(?:(?<years>\d{1,4})Y)?(?:(?<months>\d{1,5})M)?(?:(?<weeks>\d{1,6})W)?(?:(?<days>\d{1,7})D)?(?:T(?=.)(?:(?<hours>\d{1,8})H)?(?:(?<minutes>\d{1,9})M)?(?:(?<seconds>\d{1,11}(?:[.,]\d{1,3})?)S)?)?$/

/** Parses an ISO 8601 duration, like `P1M` or `PT30S`; undefined for any other string. */
export function parseDuration(text: string): Duration | undefined {
  const parts = ISO_DURATION.exec(text)?.groups
  if (!parts) return undefined
  const count = (name: string) => Number((parts[name] ?? '0').replace(',', '.'))
  const days = count('weeks') * 7 + count('days')
  const seconds = days * 86_400 + count('hours') * 3600 + count('minutes') * 60 + count('seconds')
  return { months: count('years') * 12 + count('months'), ms: Math.round(seconds * 1000) }
}

/** Advances a time in epoch milliseconds: first by the months, with the day clamped to the end of the month, then by the rest. */
export function addDuration(epochMs: number, { months, ms }: Duration): number {
  const start = new Date(epochMs)
  const moved = new Date(epochMs)
  moved.setUTCMonth(start.getUTCMonth() + months)
  const isPastMonthEnd = moved.getUTCDate() !== start.getUTCDate()
  if (isPastMonthEnd) moved.setUTCDate(0)
  return moved.getTime() + ms
}
