import type { Shown } from '../engine/messages.ts'
import { MAXIMUM_AWAITED } from '../journal/recorded-request.ts'
import type { RecordedRequest } from '../journal/recorded-request.ts'
import { resumeRequests, storeRequests } from '../journal/stored-requests.ts'
import type { StoredRequests } from '../journal/stored-requests.ts'
import type { CommandDefinition } from '../world/commands/command.ts'
import type { CommandEvent, WorldSubscriber } from '../world/world-subscriber.ts'
import type { World } from '../world/world.ts'
import { CHECKS } from './checks/index.ts'
import type { Review } from './review.ts'
import { Reviewer, toChange } from './reviewer.ts'
import type { ReviewOptions, ReviewPlace, ReviewState, WorldChange } from './reviewer.ts'

const REVIEWS = new WeakMap<World, { reviewer: Reviewer; queue: ReviewQueue }>()
/**
 * Worlds whose review began when this process loaded them. Other replicas do not know that moment, so the review
 * restarts at a log entry, which all replicas apply.
 */
const AWAITING_RESTART = new WeakSet<World>()

/** A review as plain JSON, stored with its world: the state of its reviewer, and the waiting records. */
export interface StoredReview {
  version: number
  state: object
  queue: StoredQueue
}

/** Starts to review the requests of a world. Must be called before its first request or command. */
export function recordReview(world: World, { awaitsLog = false } = {}): void {
  start(world, new Reviewer(world), { awaitsLog })
}

/**
 * Resumes the stored review of a world. Must be called before the next request or command. If `stored` is null or from
 * another version, starts a new review, which restarts at the log entry at which all replicas restart theirs.
 */
export function resumeReview(world: World, stored: StoredReview | null): void {
  const isSameVersion = stored?.version === Reviewer.version
  const reviewer = new Reviewer(
    world,
    isSameVersion ? (toMaps(stored.state) as ReviewState) : undefined,
  )
  start(world, reviewer, {
    awaitsLog: true,
    waiting: isSameVersion ? resumeQueue(stored.queue) : [],
  })
  if (isSameVersion) return
  reviewer.beginHere()
  AWAITING_RESTART.add(world)
}

function start(world: World, reviewer: Reviewer, options: QueueOptions): void {
  const queue = new ReviewQueue(world, reviewer, options)
  REVIEWS.set(world, { reviewer, queue })
  world.subscribe(queue)
}

/**
 * Returns the version of the reviewer if the review of a world must restart at an entry of its log; otherwise
 * undefined.
 */
export function awaitedReview(world: World): number | undefined {
  return AWAITING_RESTART.has(world) ? Reviewer.version : undefined
}

/** Restarts the review of a world if `version` is the version of the reviewer in this process. */
export function restartReview(world: World, version: number): void {
  if (version !== Reviewer.version) return
  const { reviewer, queue } = partsOf(world)
  queue.clear()
  reviewer.beginHere()
  AWAITING_RESTART.delete(world)
}

/** Returns the review of a world so far, including requests whose responses have not ended yet. */
export function reviewOf(world: World, options?: ReviewOptions): Review {
  const { reviewer, queue } = partsOf(world)
  if (queue.waiting.length === 0) return reviewer.review(options)
  const whole = new Reviewer(world, structuredClone(reviewer.state))
  queue.feed(whole)
  return whole.review(options)
}

/** Returns the number of failures found so far in the current session, by check id. Excludes pending mistakes. */
export function countFailures(world: World): ReadonlyMap<string, number> {
  const { reviewer, queue } = partsOf(world)
  // Reading `waiting` feeds the settled records to the reviewer.
  void queue.waiting
  return new Map(CHECKS.map(({ id }, index) => [id, reviewer.state.judged[index]!.failures]))
}

/** Returns the world clock when the review of a world began, in epoch milliseconds. */
export function reviewStartOf(world: World): number {
  return partsOf(world).reviewer.state.startMs
}

/** Returns the stored form of a world's review; null until the review has restarted at an entry of the log. */
export function storeReview(world: World): StoredReview | null {
  if (AWAITING_RESTART.has(world)) return null
  const { reviewer, queue } = partsOf(world)
  const { waiting } = queue
  return {
    version: Reviewer.version,
    state: toStored(reviewer.state) as object,
    queue: storeQueue(waiting),
  }
}

export function toSessionReview(world: World): { version: number; began?: ReviewPlace } {
  const { began } = partsOf(world).reviewer.state
  return { version: Reviewer.version, ...(began && { began }) }
}

function partsOf(world: World): { reviewer: Reviewer; queue: ReviewQueue } {
  const parts = REVIEWS.get(world)
  if (parts) return parts
  throw new RangeError(`The requests of the world ${world.options.id} are not reviewed.`)
}

/** Key of an object that stores the entries of a map. */
const ENTRIES = '$entries'

/** Copies a value as plain JSON. An object with the key `ENTRIES` replaces each map. */
function toStored(value: unknown): unknown {
  if (value instanceof Map) return { [ENTRIES]: [...value].map(toStored) }
  if (Array.isArray(value)) return value.map(toStored)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toStored(one)]))
}

/** Reverses {@link toStored}. */
function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps)
  if (typeof value !== 'object' || value === null) return value
  const { [ENTRIES]: entries } = value as { [ENTRIES]?: unknown[] }
  if (entries) return new Map(entries.map((entry) => toMaps(entry) as [unknown, unknown]))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toMaps(one)]))
}

/**
 * Number of waiting records at which the settled ones are fed together. Feeding each record by itself made a 429 take a
 * third longer, because the code and data of the review had left the processor's caches.
 */
const BATCH_SIZE = 64

export type WaitingRecord = RecordedRequest | WorldChange

export interface QueueOptions {
  /** True for a world of a store: the end of a response is logged later than the response, or not at all. */
  awaitsLog?: boolean
  /** Records that waited when the world was stored. */
  waiting?: WaitingRecord[]
}

/**
 * The requests and commands that a reviewer has not read yet. Each waits until the ends of all earlier responses are
 * known, and a request also waits for the end of its own response: a client that disconnects early has not received it.
 * A response with more than `MAXIMUM_AWAITED` later records is taken as sent, and so are all responses when a command
 * starts a new session.
 */
export class ReviewQueue implements WorldSubscriber {
  readonly #reviewer: Reviewer
  readonly #world: World
  readonly #awaitsLog: boolean
  #waiting: WaitingRecord[]

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

  /**
   * The records that still wait for the end of a response, in order. Reading them first feeds the settled records to
   * the reviewer.
   */
  get waiting(): readonly WaitingRecord[] {
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
    // The waiting record may be a copy of `recorded`.
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

  clear(): void {
    this.#waiting = []
  }

  /** Feeds the waiting records to another reviewer with an equal state. */
  feed(reviewer: Reviewer): void {
    for (const one of this.waiting) feedOne(reviewer, one)
  }

  /** True if the journal is so short that it may reuse a waiting record for another request. */
  get #isReused(): boolean {
    return this.#world.options.journalSize <= MAXIMUM_AWAITED
  }

  #add(one: WaitingRecord): void {
    this.#waiting.push(one)
    if (this.#waiting.length >= BATCH_SIZE) this.#feedSettled(one.sequence - MAXIMUM_AWAITED)
  }

  /** Feeds the reviewer the records before the first unsettled one. Those with a sequence below `before` are taken as settled. */
  #feedSettled(before = 0): void {
    const isReady = (one: WaitingRecord) => one.sequence < before || this.#isSettled(one)
    const open = this.#waiting.findIndex((one) => !isReady(one))
    const ready = this.#waiting.splice(0, open === -1 ? this.#waiting.length : open)
    for (const one of ready) feedOne(this.#reviewer, one)
  }

  #isSettled(one: WaitingRecord): boolean {
    if (!isRequest(one)) return true
    return this.#awaitsLog ? one.responseEnd !== undefined : one.responseEnd !== null
  }
}

export function isRequest(one: WaitingRecord): one is RecordedRequest {
  return 'head' in one
}

function feedOne(reviewer: Reviewer, one: WaitingRecord): void {
  if (isRequest(one)) reviewer.onRequest(one)
  else reviewer.onChange(one)
}

export interface StoredQueue {
  requests: StoredRequests
  /** For each request, values of its response that `requests` does not store; null if the response has no `shown`. */
  shown: ([contentDigest: number, next: Shown['next']] | null)[]
  changes: WorldChange[]
}

export function storeQueue(waiting: readonly WaitingRecord[]): StoredQueue {
  const requests = waiting.filter(isRequest)
  return {
    requests: storeRequests(requests),
    shown: requests.map(({ contentDigest, shown }) => (shown ? [contentDigest, shown.next] : null)),
    changes: waiting.flatMap((one) => (isRequest(one) ? [] : [one])),
  }
}

export function resumeQueue({ requests, shown, changes }: StoredQueue): WaitingRecord[] {
  const resumed = resumeRequests(requests)
  for (const [index, recorded] of resumed.entries()) {
    const [contentDigest, next] = shown[index] ?? []
    if (contentDigest === undefined) continue
    recorded.contentDigest = contentDigest
    recorded.shown = { ...recorded.shown, ...(next !== undefined && { next }) }
  }
  return [...resumed, ...changes].toSorted((one, other) => one.sequence - other.sequence)
}
