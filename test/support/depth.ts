/**
 * How deep properties are tested: 1 is all the runs that each states, 0.1 a tenth of them. `.ci/run` sets it to 1.
 * Lower values are taken as a tenth.
 */
const DEPTH = Math.max(0.1, Number(process.env['PROPERTY_DEPTH'] ?? 0.1))

/** The number of runs of a property that has so many at full depth. */
export function runs(full: number): number {
  return Math.ceil(full * DEPTH)
}
