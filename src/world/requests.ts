import { acceptedOf } from './command-error.ts'
import type { LazyList } from '../contract/lists.ts'
import { toHar } from '../journal/show-request.ts'
import type { HarFile } from '../journal/journal-schemas.ts'
import type { JournalRequest, Verification } from '../journal/journal-request.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { meetsAll, toCriteria } from '../journal/criteria.ts'
import type { Criterion, FilterContext } from '../journal/criteria.ts'
import { readExpectation, isKnown, verify } from '../journal/verification.ts'
import type { ExpectationInput } from '../journal/verification.ts'
import { readFilter } from '../journal/request-filter.ts'
import type { RequestFilterInput } from '../journal/request-filter.ts'
import { notify } from '../journal/subscribers.ts'
import type { World } from './world.ts'

export type JournalSubscriber = (entry: JournalEntry) => void

/** Selection of journal entries, to read or to be notified of. */
export interface FollowOptions {
  /**
   * Sequence after which existing entries are included; only new entries if omitted. If the journal has not reached the sequence,
   * which is then from before a reset, all existing entries are included.
   */
  since?: number | undefined
  /** Filter of the requests; all if omitted. Commands are always included. */
  filter?: RequestFilterInput
}

/** A reading position among the entries of a journal. Each read advances it. */
export interface EntryReader {
  /** Returns the next entry; undefined if there is none yet. */
  next: () => JournalEntry | undefined
  /**
   * Calls `subscriber` for every new entry, including requests that the filter excludes. The entry must still be read with
   * `next`. Returns the unsubscribe function.
   */
  follow: (subscriber: JournalSubscriber) => () => void
}

/**
 * The requests that a world has handled, the oldest first, as far back as its journal keeps them. Iteration, `all`, `matching`,
 * `count` and `inOrder` leave out requests for unknown paths, which `unknown` returns.
 *
 * @throws CommandError from every method with a filter or an expectation, if that is invalid.
 */
export class Requests implements Iterable<JournalRequest> {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  [Symbol.iterator](): Iterator<JournalRequest> {
    return this.all()[Symbol.iterator]()
  }

  all(): JournalRequest[] {
    return this.matching({})
  }

  /** Returns the requests that meet every criterion of the filter. */
  matching(filter: RequestFilterInput): JournalRequest[] {
    return [...this.list(filter)]
  }

  count(filter: RequestFilterInput = {}): number {
    return this.matching(filter).length
  }

  /** Returns requests for unknown paths that meet every criterion of the filter. */
  unknown(filter: RequestFilterInput = {}): JournalRequest[] {
    return [...this.list(filter, { unknown: true })]
  }

  /**
   * Returns requests that meet every criterion of the filter: for unknown paths if `unknown`, otherwise for known paths. Each
   * request is formatted when it is read.
   */
  list(filter: RequestFilterInput, { unknown = false } = {}): LazyList<JournalRequest> {
    const criteria = this.#read(filter)
    return this.#world.journal
      .requests()
      .filter((request) => isKnown(request) !== unknown && meetsAll(request, criteria))
  }

  /** True if matching requests were made in this order; other requests may come between them. */
  inOrder(filters: readonly RequestFilterInput[]): boolean {
    return this.verify({ in_order: [...filters] }).passed
  }

  /** Compares the requests so far with an expectation. */
  verify(expectation: ExpectationInput): Verification {
    const expected = acceptedOf(readExpectation(expectation))
    return acceptedOf(verify([...this.#world.journal.requests()], expected, this.#context()))
  }

  /** Clears the requests; the commands stay. */
  async clear(): Promise<void> {
    await this.#world.command({ type: 'journal.clear' })
  }

  /**
   * Notifies a subscriber of each command, and of each request that meets every criterion of the filter, including requests for
   * unknown paths. Begins with the existing entries after `since`. Returns the unsubscribe function.
   */
  follow(subscriber: JournalSubscriber, options: FollowOptions = {}): () => void {
    const criteria = this.#read(options.filter ?? {})
    const { next } = this.read(options)
    for (let entry = next(); entry; entry = next()) subscriber(entry)
    return this.#world.journal.subscribe((entry) => {
      // An error in the user's own code is not an error of the sandbox.
      if (entry.kind === 'command' || meetsAll(entry, criteria)) notify([subscriber], entry)
    })
  }

  /**
   * Reads entries one by one: those after `since`, then new ones; only new ones if `since` is omitted. Nothing is buffered for
   * a slow reader.
   */
  read({ since, filter = {} }: FollowOptions): EntryReader {
    const { journal } = this.#world
    const criteria = this.#read(filter)
    // A `since` beyond the current sequence is from before the world was replaced or reset, which sets the sequence back.
    let sequence = since !== undefined && since > journal.sequence ? 0 : (since ?? journal.sequence)
    let isCurrent = false
    return {
      next: () => {
        for (let entry = journal.after(sequence); entry; entry = journal.after(sequence)) {
          sequence = entry.sequence
          if (entry.kind === 'command' || meetsAll(entry, criteria)) return entry
        }
        isCurrent = true
        return undefined
      },
      follow: (subscriber) =>
        journal.subscribe((entry) => {
          if (isCurrent || entry.sequence <= sequence) sequence = entry.sequence - 1
          isCurrent = false
          subscriber(entry)
        }),
    }
  }

  /**
   * Returns the requests that pass a filter, all if it is omitted, as an HTTP archive for browser developer tools. Includes
   * requests for unknown paths.
   */
  toHar(filter: RequestFilterInput = {}): HarFile {
    const criteria = this.#read(filter)
    return toHar(this.#world.journal.details().filter((request) => meetsAll(request, criteria)))
  }

  #read(filter: RequestFilterInput): Criterion[] {
    return acceptedOf(toCriteria(acceptedOf(readFilter(filter)), this.#context()))
  }

  #context(): FilterContext {
    const { records, clock, journal } = this.#world
    return {
      records,
      nowMs: Date.parse(clock.now),
      rateMs: Date.parse(clock.rate_clock),
      redact: (text) => journal.redact(text),
    }
  }
}
