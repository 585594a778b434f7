/** Who may use the control API, and what it waits for. */
export interface ControlAppOptions {
  /** The address that the server listens on. */
  listensOn: string
  /** The key that gives access where the control API is closed otherwise. */
  adminKey?: string | undefined
  /** The URL at which clients reach the server, for links to it; the one they have used where omitted. */
  publicUrl?: string | undefined
  /** How many proxies in front of the server are trusted. */
  hops: number
  /** The metrics; undefined where they are off. */
  metrics?: (() => Promise<string>) | undefined
  /** Whether only the public routes are there. */
  isOff?: boolean
  /** Awaited before the response to a change of the default world; rejects with StateFileError where it could not be saved. */
  settled?: (() => Promise<void>) | undefined
}
