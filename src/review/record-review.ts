import type { World } from '../world/world.ts'
import type { Review } from './review.ts'
import { Reviewer } from './reviewer.ts'
import type { ReviewState } from './reviewer.ts'

const REVIEWERS = new WeakMap<World, Reviewer>()

/** What a reviewer knows as plain JSON, to be stored with its world. */
export type StoredReview = object

/**
 * Reviews the client of a world from now on. To be called ahead of its first request and command, or for a resumed world
 * ahead of the next ones, with what was stored.
 */
export function recordReview(world: World, stored?: StoredReview): void {
  const reviewer = new Reviewer(world, stored && fromStored(stored))
  REVIEWERS.set(world, reviewer)
  reviewer.memory.moveTo(world.memory)
  world.subscribe(reviewer)
}

/** What the client of a world did well and badly so far. */
export function reviewOf(world: World, projects?: readonly number[]): Review {
  return reviewerOf(world).review(projects)
}

/** What the reviewer of a world knows, to be stored. */
export function storeReview(world: World): StoredReview {
  return toStored(reviewerOf(world).state) as StoredReview
}

function reviewerOf(world: World): Reviewer {
  const reviewer = REVIEWERS.get(world)
  if (reviewer) return reviewer
  throw new RangeError(`The requests of the world ${world.options.id} are not reviewed.`)
}

/** The only key of what stands for a map. */
const ENTRIES = '$entries'

/** A copy in which the entries of each map stand for it. */
function toStored(value: unknown): unknown {
  if (value instanceof Map) return { [ENTRIES]: [...value].map(toStored) }
  if (Array.isArray(value)) return value.map(toStored)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toStored(one)]))
}

function fromStored(stored: StoredReview): ReviewState {
  return toMaps(stored) as ReviewState
}

function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps)
  if (typeof value !== 'object' || value === null) return value
  const { [ENTRIES]: entries } = value as { [ENTRIES]?: unknown[] }
  if (entries) return new Map(entries.map((entry) => toMaps(entry) as [unknown, unknown]))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toMaps(one)]))
}
