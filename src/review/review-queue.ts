import { MAXIMUM_AWAITED } from '../journal/recorded-request.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import type { CommandDefinition } from '../world/commands/command.ts'
import type { CommandEvent, WorldSubscriber } from '../world/world-subscriber.ts'
import type { World } from '../world/world.ts'
import { toChange } from './reviewer.ts'
import type { Reviewer, WorldChange } from './reviewer.ts'

/**
 * How many requests are fed at a time. The code and the data of a review are no longer in the caches of the processor once a
 * response is written: one by one, a 429 took a third more time.
 */
const BATCH = 64

/** A request or a change of the world that waits. */
export type Waiting = RecordedRequest | WorldChange

export interface QueueOptions {
  /** For a store: how a response ended is in a later entry of the log, which most responses do not have. */
  awaitsLog?: boolean
  /** What waited when the world was stored. */
  waiting?: Waiting[]
}

/**
 * Feeds a reviewer the requests and commands of a world in order, once it is known whether the responses up to them were
 * sent: a client that disconnects before that has not got one. After `MAXIMUM_AWAITED` others, a response counts as sent.
 */
export class ReviewQueue implements WorldSubscriber {
  readonly #reviewer: Reviewer
  readonly #world: World
  readonly #awaitsLog: boolean
  #waiting: Waiting[]

  constructor(
    world: World,
    reviewer: Reviewer,
    { awaitsLog = false, waiting = [] }: QueueOptions = {},
  ) {
    this.#world = world
    this.#reviewer = reviewer
    this.#awaitsLog = awaitsLog
    this.#waiting = waiting
  }

  /** What still waits for the end of a response, in order. */
  get waiting(): readonly Waiting[] {
    this.#feedSettled()
    return this.#waiting
  }

  onRequest(recorded: RecordedRequest): void {
    if (this.#waiting.length === 0 && this.#isSettled(recorded)) this.#reviewer.onRequest(recorded)
    else this.#add(this.#isReused ? recorded.copy() : recorded)
  }

  onResponseEnd(recorded: RecordedRequest): void {
    const first = this.#waiting[0]
    if (!first || recorded.sequence < first.sequence) {
      this.#reviewer.onResponseEnd(recorded)
      return
    }
    // The journal may have another record of it.
    const own = this.#waiting.findLast(
      (one): one is RecordedRequest => one.sequence === recorded.sequence && isRequest(one),
    )
    if (own) own.responseEnd = recorded.responseEnd
  }

  onBeforeCommand({ startsSession = false }: CommandDefinition): void {
    this.#feedSettled(startsSession ? Infinity : 0)
    if (startsSession) this.#reviewer.onSessionEnd()
  }

  onCommand(event: CommandEvent): void {
    const worldMs = Date.parse(this.#world.clock.now)
    if (event.definition.startsSession === true) this.#reviewer.startSession()
    else if (this.#waiting.length === 0) this.#reviewer.onChange(toChange(event, worldMs))
    else this.#add(toChange(event, worldMs))
  }

  /** Discards what waits. */
  clear(): void {
    this.#waiting = []
  }

  /** Feeds what waits to another reviewer, which knows as much as its own. */
  feed(reviewer: Reviewer): void {
    for (const one of this.waiting) feedOne(reviewer, one)
  }

  /** Whether the journal may reuse a record that waits for another request. */
  get #isReused(): boolean {
    return this.#world.options.journalSize <= MAXIMUM_AWAITED
  }

  #add(one: Waiting): void {
    this.#waiting.push(one)
    if (this.#waiting.length >= BATCH) this.#feedSettled(one.sequence - MAXIMUM_AWAITED)
  }

  /** Feeds what is settled, and everything before a sequence. */
  #feedSettled(before = 0): void {
    const isReady = (one: Waiting) => one.sequence < before || this.#isSettled(one)
    const open = this.#waiting.findIndex((one) => !isReady(one))
    const ready = this.#waiting.splice(0, open === -1 ? this.#waiting.length : open)
    for (const one of ready) feedOne(this.#reviewer, one)
  }

  /** Whether a request is known to have got its response or not; a command waits for nothing. */
  #isSettled(one: Waiting): boolean {
    if (!isRequest(one)) return true
    return this.#awaitsLog ? one.responseEnd !== undefined : one.responseEnd !== null
  }
}

export function isRequest(one: Waiting): one is RecordedRequest {
  return 'head' in one
}

function feedOne(reviewer: Reviewer, one: Waiting): void {
  if (isRequest(one)) reviewer.onRequest(one)
  else reviewer.onChange(one)
}
