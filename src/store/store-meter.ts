/** Is told what a store does, for metrics. */
export interface StoreMeter {
  /** Redis has replied after this many milliseconds. */
  replied: (ms: number) => void
  /** Entries of a log were applied. The number of those from others is how far this server was behind. */
  applied: (entries: number, ofOthers: number) => void
}
