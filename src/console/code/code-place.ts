/** Where the code runs. */
export interface CodePlace {
  /** Scheme, host and port of this server. */
  origin: string
  /** The id of the world that is shown. */
  world: string
  /** Whether that is the demo. */
  isDemo: boolean
  /** Whether the control API needs its key, which code reads from the environment. */
  needsKey: boolean
}

/** Where a test runs, and begins. */
export interface TestPlace extends CodePlace {
  /** What the world of the test is created with. */
  options: object
  /** What that presumes, in a sentence or two. */
  note: string
}
