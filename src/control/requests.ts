import { validate } from '../contract/validation.ts'
import { CommandError } from './command-error.ts'
import { toHar } from './har.ts'
import type { HarFile } from './answers/har-file.ts'
import type { JournalRequest } from './answers/journal-request.ts'
import type { Verification } from './answers/verification.ts'
import type { JournalEntry } from './journal.ts'
import { meetsAll, RequestFilter, toCriteria } from './request-filter.ts'
import type { Criterion, FilterSurroundings, RequestFilterInput } from './request-filter.ts'
import { Expectation, isKnown, verify } from './verification.ts'
import type { ExpectationInput } from './verification.ts'
import type { World } from './world.ts'

export type Follower = (entry: JournalEntry) => void

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
    return verify(this.#world.journal.requests(), checked.value, this.#surroundings())
  }

  /** Forgets them; the commands stay. */
  async clear(): Promise<void> {
    await this.#world.command({ type: 'journal.clear' })
  }

  /** Calls back with each request, also for an unknown path, and each command, until what it returns is called. */
  follow(follower: Follower, options: FollowOptions = {}): () => void {
    return this.following(options)(follower)
  }

  /** The same in two steps, the filter being read in the first. */
  following({ since, filter = {} }: FollowOptions): (follower: Follower) => () => void {
    const { journal } = this.#world
    const criteria = this.#read(filter)
    return (follower) => {
      const tell: Follower = (entry) => {
        if (entry.kind === 'command' || meetsAll(entry, criteria)) follower(entry)
      }
      if (since !== undefined) {
        // Sequences begin anew with a world: one that is still to come was of the world before.
        const before = since > journal.sequence ? 0 : since
        for (const entry of journal.entries({ since: before })) tell(entry)
      }
      return journal.follow(tell)
    }
  }

  /** All of them, also those for unknown paths, as an HTTP archive that the tools of browsers open. */
  toHar(filter: RequestFilterInput = {}): HarFile {
    const criteria = this.#read(filter)
    return toHar(
      this.#world.journal.exchanges().filter(({ request }) => meetsAll(request, criteria)),
    )
  }

  #read(filter: RequestFilterInput): Criterion[] {
    const checked = validate(RequestFilter, filter)
    if ('problems' in checked) throw new CommandError('invalid_command', checked.problems)
    const criteria = toCriteria(checked.value, this.#surroundings())
    if ('problems' in criteria) throw new CommandError('invalid_command', criteria.problems)
    return criteria.value
  }

  #surroundings(): FilterSurroundings {
    const { records, clock, journal } = this.#world
    return {
      records,
      nowMs: Date.parse(clock.now),
      rateMs: Date.parse(clock.rate_clock),
      redact: (text) => journal.redact(text),
    }
  }
}
