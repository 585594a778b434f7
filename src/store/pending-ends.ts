import { clearTimeout, setTimeout } from '../contract/timers.ts'
import type { LoggedEnd } from '../journal/recorded-request.ts'
import type { Waiting } from './call-queue.ts'
import type { LogEntry } from './log-entry.ts'

/** How long they wait for a call that takes them along. */
const ALONE_MS = 100
/** Further ones are dropped: the arrival of their requests stands for them. */
const MOST_PENDING = 1000

/** How responses ended, until a call to the store takes that along. */
export class PendingEnds {
  readonly #createNonce: () => string
  readonly #send: () => void
  #ends: Waiting[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `send` makes a call for those that no other call has taken along. */
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

  /** Those so far, which are to go with a call. */
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
