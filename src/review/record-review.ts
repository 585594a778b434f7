import type { World } from '../world/world.ts'
import { CHECKS } from './checks/index.ts'
import type { Review } from './review.ts'
import { ReviewQueue } from './review-queue.ts'
import type { QueueOptions } from './review-queue.ts'
import { Reviewer } from './reviewer.ts'
import type { ReviewOptions, ReviewPlace, ReviewState } from './reviewer.ts'
import { resumeQueue, storeQueue } from './stored-queue.ts'
import type { StoredQueue } from './stored-queue.ts'

const REVIEWS = new WeakMap<World, { reviewer: Reviewer; queue: ReviewQueue }>()
/** The worlds whose review began when they were loaded here, a moment that other replicas do not know. */
const AWAITING = new WeakSet<World>()

/** What a reviewer knows as plain JSON, to be stored with its world. */
export interface StoredReview {
  version: number
  state: object
  /** What waits to be read. */
  queue: StoredQueue
}

/** Reviews the requests of a world from now on. Call it before the first request and command. */
export function recordReview(world: World, { awaitsLog = false } = {}): void {
  start(world, new Reviewer(world), { awaitsLog })
}

/**
 * Continues the stored review of a world of a store. Call it before the next request and command. A review that another
 * version has stored cannot be continued: it waits for the entry of the log where all replicas begin again.
 */
export function resumeReview(world: World, stored: StoredReview | null): void {
  const isOwn = stored?.version === Reviewer.version
  const reviewer = new Reviewer(world, isOwn ? (toMaps(stored.state) as ReviewState) : undefined)
  start(world, reviewer, { awaitsLog: true, waiting: isOwn ? resumeQueue(stored.queue) : [] })
  if (isOwn) return
  reviewer.beginHere()
  AWAITING.add(world)
}

function start(world: World, reviewer: Reviewer, options: QueueOptions): void {
  const queue = new ReviewQueue(world, reviewer, options)
  REVIEWS.set(world, { reviewer, queue })
  world.subscribe(queue)
}

/** The version with which the review of a world has to begin again, at an entry of its log; undefined if it does not have to. */
export function awaitedReview(world: World): number | undefined {
  return AWAITING.has(world) ? Reviewer.version : undefined
}

/** Begins the review of a world again, unless another version asked for it. */
export function beginReview(world: World, version: number): void {
  if (version !== Reviewer.version) return
  const { reviewer, queue } = partsOf(world)
  queue.clear()
  reviewer.beginHere()
  AWAITING.delete(world)
}

/** What the client of a world did well and badly so far. */
export function reviewOf(world: World, options?: ReviewOptions): Review {
  const { reviewer, queue } = partsOf(world)
  if (queue.waiting.length === 0) return reviewer.review(options)
  const whole = new Reviewer(world, structuredClone(reviewer.state))
  queue.feed(whole)
  return whole.review(options)
}

/** How much each check has found in the current session so far, by its id. */
export function countFailures(world: World): ReadonlyMap<string, number> {
  const { reviewer, queue } = partsOf(world)
  // Reading `waiting` feeds the reviewer what is settled.
  void queue.waiting
  return new Map(CHECKS.map(({ id }, index) => [id, reviewer.state.judged[index]!.failures]))
}

/** The world clock when the review of a world began, in epoch milliseconds. */
export function reviewStartOf(world: World): number {
  return partsOf(world).reviewer.state.startMs
}

/** What the reviewer of a world knows, to be stored; null while it waits for an entry. */
export function storeReview(world: World): StoredReview | null {
  if (AWAITING.has(world)) return null
  const { reviewer, queue } = partsOf(world)
  const { waiting } = queue
  return {
    version: Reviewer.version,
    state: toStored(reviewer.state) as object,
    queue: storeQueue(waiting),
  }
}

/** What a session says about the review of its world. */
export function toSessionReview(world: World): { version: number; began?: ReviewPlace } {
  const { began } = partsOf(world).reviewer.state
  return { version: Reviewer.version, ...(began && { began }) }
}

function partsOf(world: World): { reviewer: Reviewer; queue: ReviewQueue } {
  const parts = REVIEWS.get(world)
  if (parts) return parts
  throw new RangeError(`The requests of the world ${world.options.id} are not reviewed.`)
}

/** The only key of the object that a map is stored as. */
const ENTRIES = '$entries'

/** A copy in which each map is an object with its entries. */
function toStored(value: unknown): unknown {
  if (value instanceof Map) return { [ENTRIES]: [...value].map(toStored) }
  if (Array.isArray(value)) return value.map(toStored)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toStored(one)]))
}

/** The reverse of {@link toStored}. */
function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps)
  if (typeof value !== 'object' || value === null) return value
  const { [ENTRIES]: entries } = value as { [ENTRIES]?: unknown[] }
  if (entries) return new Map(entries.map((entry) => toMaps(entry) as [unknown, unknown]))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toMaps(one)]))
}
