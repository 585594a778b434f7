/** The most runs of a rehearsal. In a file of its own, as every command line loads it. */
export const MOST_RUNS = 10_000
