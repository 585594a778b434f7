import { setImmediate, clearTimeout, setTimeout } from '../contract/timers.ts'
import type { LogEntry, LoggedEnd } from './log-entry.ts'
import { StoreError, TOO_BUSY } from './store-error.ts'
import type { NewEntry } from './world-log.ts'

/** Maximum number of waiting calls of a world. Further calls are rejected with `too_busy`. */
const MAXIMUM_WAITING = 1000
/** Maximum number of waiting calls combined into one. Pending ends of responses are added to these. */
const MAXIMUM_COMBINED = 250

/** A waiting call. It appends `added`; without `added`, it only fetches the entries of other servers. */
export interface WaitingCall {
  added?: NewEntry
  /** The parsed entry; if omitted, it is parsed from `added.content`. */
  entry?: LogEntry
  /**
   * For a call without `added`: work that runs before any further entry is applied, and returns the result of the call.
   */
  work?: () => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** A queue that makes one call at a time. Calls that arrive meanwhile are combined into the next one. */
export class CallQueue {
  readonly #call: (batch: readonly WaitingCall[]) => Promise<void>
  readonly #onIdle: () => void
  #waiting: WaitingCall[] = []
  #afterCall: (() => void)[] = []
  #isCalling = false

  /** `call` settles every call of its batch, or throws the error with which the unsettled ones are rejected. */
  constructor(call: (batch: readonly WaitingCall[]) => Promise<void>, onIdle: () => void) {
    this.#call = call
    this.#onIdle = onIdle
  }

  get isIdle(): boolean {
    return !this.#isCalling
  }

  add(waiting: WaitingCall): void {
    if (this.#waiting.length >= MAXIMUM_WAITING) {
      waiting.reject(new StoreError('too_busy', TOO_BUSY))
      return
    }
    this.#waiting.push(waiting)
    if (!this.#isCalling) void this.#callAll()
  }

  /** Runs `work` while no call is under way: now, or after the current call. */
  betweenCalls(work: () => void): void {
    if (this.#isCalling) this.#afterCall.push(work)
    else work()
  }

  async #callAll(): Promise<void> {
    this.#isCalling = true
    let batch: WaitingCall[] = []
    while (this.#waiting.length > 0) {
      await this.#untilNoMoreArrive(batch.length)
      batch = this.#waiting.splice(0, MAXIMUM_COMBINED)
      try {
        await this.#call(batch)
      } catch (error) {
        // A StoreError also rejects the calls that still wait, because they would fail in the same way after another
        // delay.
        const others = error instanceof StoreError ? this.#waiting.splice(0) : []
        for (const { reject } of [...batch, ...others]) reject(error)
      }
      for (const work of this.#afterCall.splice(0)) work()
    }
    this.#isCalling = false
    this.#onIdle()
  }

  /**
   * Waits until no more calls arrive or `MAXIMUM_COMBINED` wait, so that simultaneous calls are combined. After a batch
   * of several calls, waits at least one more turn of the event loop: clients that were answered together send their
   * next requests at about the same time.
   */
  async #untilNoMoreArrive(answeredBefore: number): Promise<void> {
    await nextTick()
    let known = answeredBefore > 1 ? 0 : 1
    while (this.#waiting.length > known && this.#waiting.length < MAXIMUM_COMBINED) {
      known = this.#waiting.length
      await nextTick()
    }
  }
}

/** Resolves after the event loop has read all data that has arrived. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** Time after which pending ends of responses are sent in a call of their own, if no other call has carried them. */
const MAXIMUM_WAIT_MS = 100
/**
 * Maximum number of pending ends. Further ends are dropped, and their responses count as having ended when their
 * requests arrived.
 */
const MAXIMUM_PENDING = 1000

/** Ends of responses that wait for a call to the store. */
export class PendingEnds {
  readonly #createNonce: () => string
  readonly #send: () => void
  #ends: WaitingCall[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `send` is called if no other call carries the ends in time. */
  constructor({ createNonce, send }: { createNonce: () => string; send: () => void }) {
    this.#createNonce = createNonce
    this.#send = send
  }

  get isEmpty(): boolean {
    return this.#ends.length === 0
  }

  add(end: LoggedEnd): void {
    if (this.#ends.length >= MAXIMUM_PENDING) return
    const entry = { end } satisfies LogEntry
    const nonce = this.#createNonce()
    this.#ends.push({
      added: { nonce, kind: 'end', content: JSON.stringify(entry) },
      entry,
      resolve: () => undefined,
      reject: () => undefined,
    })
    this.#timer ??= setTimeout(this.#send, MAXIMUM_WAIT_MS).unref()
  }

  take(): WaitingCall[] {
    const ends = this.#ends
    this.clear()
    return ends
  }

  clear(): void {
    this.#ends = []
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
