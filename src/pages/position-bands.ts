/** Bands of positions, from the best, which charts draw strongest, to the worst. */
export const BANDS = [
  { name: '1–3', until: 3 },
  { name: '4–10', until: 10 },
  { name: '11–20', until: 20 },
  { name: '21+', until: Infinity },
] as const

/** How many of some keywords have no position: they are in no band. */
export function countMissing(keywords: readonly { position: number | null | undefined }[]): number {
  return keywords.filter(({ position }) => position === null).length
}

/** How many of some positions each band has. Those that are null or undefined are in none. */
export function countByBand(positions: readonly (number | null | undefined)[]): number[] {
  const counts = BANDS.map(() => 0)
  for (const position of positions) {
    if (position === null || position === undefined) continue
    const band = BANDS.findIndex(({ until }) => position <= until)
    counts[band] = (counts[band] ?? 0) + 1
  }
  return counts
}
