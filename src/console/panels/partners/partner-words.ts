import type { Partner } from '../../api/types.ts'
import { DAY_MS, toDay } from '../../../wording/times.ts'

/** How long a world may last, as it is chosen. */
export const TERMS = [7, 14, 30, 60, 90, 180, 365].map(
  (days) => [String(days), `${days} days`] as const,
)

export const USUAL_TERM = '30'

/** A term as the control API takes it. */
export function toDuration(term: string): string {
  return `P${term}D`
}

/** Until when a term lasts that begins now. */
export function endOf(term: string): string {
  return toDay(Date.now() + Number(term) * DAY_MS)
}

/** What a world takes of the store. */
export function toUse({ bytes, maximum_bytes: most }: Partner): string {
  return `${toMegabytes(bytes)} of ${toMegabytes(most)} MB`
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })
}
