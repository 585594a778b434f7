/** How many runs a rehearsal has at most. */
export const MOST_RUNS = 10_000
