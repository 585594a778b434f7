/**
 * Depth of property tests: 1 runs all the cases that each states, as in `.ci/nightly depth`; 0.1, the minimum and the
 * default, runs a tenth of them, at most {@link FEW}.
 */
const DEPTH = Math.max(0.1, Number(process.env['PROPERTY_DEPTH'] ?? 0.1))

/** Runs of a property in `npm test`. */
const FEW = 25

export const isFullDepth = DEPTH >= 1

/** The number of runs of a property that has `full` at full depth, and at least the minimum that proves something. */
export function runs(full: number, least = 1): number {
  const wanted = Math.ceil(full * DEPTH)
  return Math.max(least, DEPTH > 0.1 ? wanted : Math.min(FEW, wanted))
}
