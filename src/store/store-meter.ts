/** Told what a store does, so that it can be watched. */
export interface StoreMeter {
  /** Redis has replied after this many milliseconds. */
  replied: (ms: number) => void
  /** Entries of a log were applied. Those of others are how far this server was behind. */
  applied: (entries: number, ofOthers: number) => void
}
