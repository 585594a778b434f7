/** Reason why a client is refused, which determines the remedy. */
export type StoreErrorCode =
  /** The store can't be reached; another attempt is worthwhile. */
  | 'store_unavailable'
  /** The store refused a command, which had no effect, for example because the store is full or read-only. */
  | 'store_refused'
  /** The reply to a call was lost, so the requests and changes of the call may or may not be in the log. */
  | 'fate_unknown'
  /**
   * The server is overloaded: its maximum number of calls or expensive requests waits, its memory had no room for the
   * world in time, or the text of a change was dropped before the change was appended.
   */
  | 'too_busy'
  /**
   * A newer release continues the world, loads of the world crashed several servers, or the default world is removed again
   * and again; another attempt at this server is useless for now.
   */
  | 'world_unavailable'
  /** The store has lost part of the world. */
  | 'world_damaged'
  /** A partner's world has expired. */
  | 'expired'
  /** A world received more requests and changes in a second than the host allows. */
  | 'too_many_requests'
  /** A world exceeded the host's limit on expensive requests per minute. */
  | 'too_many_costly'

/** Error for a request or command that a server with a store cannot serve. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  /** Facts and remedies that only the operator may see; undefined if there are none. */
  readonly forOperator: string | undefined
  /** Seconds after which another attempt is worthwhile; undefined if unknown. */
  readonly waitSeconds: number | undefined

  constructor(
    code: StoreErrorCode,
    message: string,
    {
      forOperator,
      waitSeconds,
      ...options
    }: ErrorOptions & { forOperator?: string; waitSeconds?: number } = {},
  ) {
    super(message, options)
    this.code = code
    this.forOperator = forOperator
    this.waitSeconds = waitSeconds
  }
}

/** Returns an error with the code `store_refused`. @throws any other error */
export function toRefusal(error: unknown): StoreError {
  if (error instanceof StoreError && error.code === 'store_refused') return error
  throw error
}

// Messages that any client may receive. Only the operator is told the details of a problem of the store.

export const UNREACHED =
  'The store that orders the requests of all replicas cannot be reached. Send the request again after a second.'
export const REFUSED =
  'The store that orders the requests of all replicas accepts no changes now. Send the request again after a second.'
export const FATE_UNKNOWN =
  'The connection to the store broke, so it is not known whether this request was counted. Send it again after a second.'
export const TOO_BUSY =
  'Too many requests wait for the store already. Send this one again after a second.'
export const SERVER_BUSY =
  'As many expensive requests wait for this server as it takes. Send this one again after a second.'
export const ENDED_SERVERS =
  'This world is not loaded, because servers ended while they loaded it: tell their operator, or try again in an hour.'
export const NO_ROOM =
  'The memory of this server is full of other worlds in use. Send the request again after a second.'

/** Creates the error for a world that has used up its expensive requests. */
export function tooManyCostly(perMinute: number, waitSeconds: number): StoreError {
  const message = `On this host, a world has ${perMinute} expensive requests a minute: PDFs, HAR files, sessions, snapshots, resets, loads, and advances of its clock. Send this one again after ${waitSeconds} s.`
  return new StoreError('too_many_costly', message, { waitSeconds })
}

/** Creates the error for a world that has used up its requests of this second. */
export function tooManyRequests(perSecond: number): StoreError {
  const message = `On this host, a world has ${perSecond} requests and changes a second. Send this one again after a second.`
  return new StoreError('too_many_requests', message)
}

export const NEWER =
  'A newer release of seo-sandbox continues this world. Send the request to a server of that release.'
export const DAMAGED =
  'The store has lost a part of this world, so that nobody can use it: tell the operator of the server.'

export const WORLD_EXPIRED =
  'This world has expired. Ask the person who invited you to renew it: it continues as it was.'
