/**
 * How deep properties are tested: 1 is all the runs that each states, as in `.ci/nightly depth`, and 0.1 a tenth of them.
 * Lower values are taken as a tenth.
 */
const DEPTH = Math.max(0.1, Number(process.env['PROPERTY_DEPTH'] ?? 0.1))

export const isFullDepth = DEPTH >= 1

/** The number of runs of a property that has so many at full depth, and never fewer than the least that prove something. */
export function runs(full: number, least = 1): number {
  return Math.max(least, Math.ceil(full * DEPTH))
}
