import { validate } from '../contract/validation.ts'
import { CommandError } from './command-error.ts'
import { toHar } from '../journal/har.ts'
import type { HarFile } from '../journal/har-file.ts'
import type { JournalRequest } from '../journal/journal-request.ts'
import type { Verification } from '../journal/verification.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { meetsAll, RequestFilter, toCriteria } from '../journal/request-filter.ts'
import type { Criterion, FilterContext, RequestFilterInput } from '../journal/request-filter.ts'
import { Expectation, isKnown, verify } from '../journal/verify.ts'
import type { ExpectationInput } from '../journal/verify.ts'
import type { World } from './world.ts'

export type JournalSubscriber = (entry: JournalEntry) => void

/** What `follow` is to call back with. */
export interface FollowOptions {
  /** First with what the journal still has after this sequence; not at all where omitted. */
  since?: number | undefined
  /** Of the requests only these. */
  filter?: RequestFilterInput
}

/**
 * The requests that a world has answered, the oldest first, as far back as its journal keeps them. Those
 * for paths that no endpoint has are kept apart: `unknown` has them, and nothing else counts them.
 *
 * @throws CommandError from whatever takes a filter that is wrong.
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
    return this.#world.journal.requests().filter(isKnown)
  }

  /** Those of which everything in the filter is true. */
  matching(filter: RequestFilterInput): JournalRequest[] {
    const criteria = this.#read(filter)
    return this.all().filter((request) => meetsAll(request, criteria))
  }

  count(filter: RequestFilterInput = {}): number {
    return this.matching(filter).length
  }

  /** Those for paths that no endpoint has. */
  unknown(filter: RequestFilterInput = {}): JournalRequest[] {
    const criteria = this.#read(filter)
    return this.#world.journal
      .requests()
      .filter((request) => !isKnown(request) && meetsAll(request, criteria))
  }

  /** Whether requests like these came one after the other, whatever came in between. */
  inOrder(filters: readonly RequestFilterInput[]): boolean {
    return this.verify({ in_order: [...filters] }).passed
  }

  /** Holds the requests so far against what was expected of them. */
  verify(expectation: ExpectationInput): Verification {
    const checked = validate(Expectation, expectation)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const result = verify(this.#world.journal.requests(), checked.value, this.#context())
    if ('problems' in result) throw new CommandError('invalid_command', result.problems)
    return result.value
  }

  /** Forgets them; the commands stay. */
  async clear(): Promise<void> {
    await this.#world.command({ type: 'journal.clear' })
  }

  /** Calls back with each request, also for an unknown path, and each command, until what it returns is called. */
  follow(subscriber: JournalSubscriber, options: FollowOptions = {}): () => void {
    return this.prepareFollow(options)(subscriber)
  }

  /** The same in two steps, the filter being read in the first. */
  prepareFollow({
    since,
    filter = {},
  }: FollowOptions): (subscriber: JournalSubscriber) => () => void {
    const { journal } = this.#world
    const criteria = this.#read(filter)
    return (subscriber) => {
      const tell: JournalSubscriber = (entry) => {
        if (entry.kind === 'command' || meetsAll(entry, criteria)) subscriber(entry)
      }
      if (since !== undefined) {
        // Sequences begin anew with a world: one that is still to come was of the world before.
        const before = since > journal.sequence ? 0 : since
        for (const entry of journal.entries({ since: before })) tell(entry)
      }
      return journal.subscribe(tell)
    }
  }

  /** All of them, also those for unknown paths, as an HTTP archive that the tools of browsers open. */
  toHar(filter: RequestFilterInput = {}): HarFile {
    const criteria = this.#read(filter)
    return toHar(
      this.#world.journal
        .requestsWithHeaders()
        .filter(({ request }) => meetsAll(request, criteria)),
    )
  }

  #read(filter: RequestFilterInput): Criterion[] {
    const checked = validate(RequestFilter, filter)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const criteria = toCriteria(checked.value, this.#context())
    if ('problems' in criteria) throw new CommandError('invalid_command', criteria.problems)
    return criteria.value
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
