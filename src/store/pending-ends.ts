import { clearTimeout, setTimeout } from '../contract/timers.ts'
import type { LoggedEnd } from '../journal/recorded-request.ts'
import type { Waiting } from './call-queue.ts'
import type { LogEntry } from './log-entry.ts'

/** How long ends wait for a call that takes them along, before they are sent in one of their own. */
const ALONE_MS = 100
/** Further ends are dropped: the responses count as having ended when their requests arrived. */
const MOST_PENDING = 1000

/** How responses ended, kept until a call takes them to the store. */
export class PendingEnds {
  readonly #createNonce: () => string
  readonly #send: () => void
  #ends: Waiting[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `send` makes a call for the ends that no other call has taken along. */
  constructor({ createNonce, send }: { createNonce: () => string; send: () => void }) {
    this.#createNonce = createNonce
    this.#send = send
  }

  get isEmpty(): boolean {
    return this.#ends.length === 0
  }

  add(end: LoggedEnd): void {
    if (this.#ends.length >= MOST_PENDING) return
    const entry = { end } satisfies LogEntry
    const nonce = this.#createNonce()
    this.#ends.push({
      added: { nonce, kind: 'end', content: JSON.stringify(entry) },
      entry,
      resolve: () => undefined,
      reject: () => undefined,
    })
    this.#timer ??= setTimeout(this.#send, ALONE_MS).unref()
  }

  /** Removes and returns the ends so far, for a call that is about to be made. */
  take(): Waiting[] {
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
