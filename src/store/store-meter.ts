/** What a store reports for metrics. */
export interface StoreMeter {
  /** Redis has replied after this many milliseconds. */
  replied: (ms: number) => void
  /** Entries of a log were applied, `ofOthers` of them from other servers: how far this server was behind. */
  applied: (entries: number, ofOthers: number) => void
}
