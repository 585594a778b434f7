/** Told what a store does, so that it can be watched. */
export interface StoreMeter {
  /** Redis has replied after so many milliseconds. */
  replied: (ms: number) => void
  /** Entries of a log were applied, of which others had appended so many: a server is behind by these until then. */
  applied: (entries: number, ofOthers: number) => void
}
