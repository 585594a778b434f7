import type { Partner } from '../../api/types.ts'

/** How long a world may last, as it is chosen. */
export const TERMS = [
  ['P7D', '7 days'],
  ['P14D', '14 days'],
  ['P30D', '30 days'],
  ['P90D', '90 days'],
  ['P1Y', 'a year'],
] as const

export const USUAL_TERM = 'P30D'

/** What a world takes of the store. */
export function toUse({ bytes, maximum_bytes: most }: Partner): string {
  return `${toMegabytes(bytes)} of ${toMegabytes(most)} MB`
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })
}
