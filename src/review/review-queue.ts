import { MAXIMUM_AWAITED } from '../journal/recorded-request.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { CommandEvent, WorldSubscriber } from '../world/world-subscriber.ts'
import type { World } from '../world/world.ts'
import type { Reviewer } from './reviewer.ts'

/** A command that waits, with the world clock after it. */
interface WaitingCommand {
  sequence: number
  event: CommandEvent
  worldMs: number
}

/**
 * Feeds a reviewer the requests and commands of a world in order, each once it is known whether the responses up to it were
 * sent: a client that disconnects before that has not got one. After so many others, a response counts as sent.
 */
export class ReviewQueue implements WorldSubscriber {
  readonly #reviewer: Reviewer
  readonly #world: World
  #waiting: (RecordedRequest | WaitingCommand)[] = []

  constructor(world: World, reviewer: Reviewer) {
    this.#world = world
    this.#reviewer = reviewer
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  onRequest(recorded: RecordedRequest): void {
    if (this.isEmpty && recorded.responseEnd !== null) this.#reviewer.onRequest(recorded)
    else this.#add(this.#isReused ? recorded.copy() : recorded)
  }

  onResponseEnd(recorded: RecordedRequest): void {
    const first = this.#waiting[0]
    if (!first || recorded.sequence < first.sequence) {
      this.#reviewer.onResponseEnd(recorded)
      return
    }
    if (this.#isReused) {
      const own = this.#waiting.find(({ sequence }) => sequence === recorded.sequence)
      if (own && !('event' in own)) own.responseEnd = recorded.responseEnd
    }
    this.#feedSettled(0)
  }

  onSessionEnd(): void {
    this.#feedSettled(Infinity)
    this.#reviewer.onSessionEnd()
  }

  onCommand(event: CommandEvent): void {
    const worldMs = Date.parse(this.#world.clock.now)
    if (this.isEmpty) this.#reviewer.onCommand(event, worldMs)
    else this.#add({ sequence: event.sequence, event, worldMs })
  }

  /** Discards what waits. */
  clear(): void {
    this.#waiting = []
  }

  /** Feeds what waits to another reviewer, which knows as much as its own. */
  feed(reviewer: Reviewer): void {
    for (const one of this.#waiting) feedOne(reviewer, one)
  }

  /** Whether the journal may reuse a record that waits for another request. */
  get #isReused(): boolean {
    return this.#world.options.journalSize <= MAXIMUM_AWAITED
  }

  #add(one: RecordedRequest | WaitingCommand): void {
    this.#waiting.push(one)
    this.#feedSettled(one.sequence - MAXIMUM_AWAITED)
  }

  /** Feeds what is settled, and everything before a sequence. */
  #feedSettled(before: number): void {
    let [first] = this.#waiting
    while (first && (first.sequence < before || isSettled(first))) {
      this.#waiting.shift()
      feedOne(this.#reviewer, first)
      first = this.#waiting[0]
    }
  }
}

function isSettled(one: RecordedRequest | WaitingCommand): boolean {
  return 'event' in one || one.responseEnd !== null
}

function feedOne(reviewer: Reviewer, one: RecordedRequest | WaitingCommand): void {
  if ('event' in one) reviewer.onCommand(one.event, one.worldMs)
  else reviewer.onRequest(one)
}
