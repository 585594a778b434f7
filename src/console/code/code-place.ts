/** Where the code runs. */
export interface CodePlace {
  /** Scheme, host and port of this server. */
  origin: string
  /** The id of the world that is shown. */
  world: string
  /** Whether the control API needs its key, which code reads from the environment. */
  needsKey: boolean
  /** Whether others than this page have sent requests. */
  hasClient?: boolean
}
