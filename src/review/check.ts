import type { OperationId } from '../contract/routes.ts'
import type { Category, CheckId, Severity } from './check-ids.ts'
import type { ReviewedRequest } from './reviewed-request.ts'
import type { World } from '../world/world.ts'

/** What a check has found: the requests that show it, and a sentence. */
export interface Found {
  requests: number[]
  message: string
}

/** Takes what a check finds while requests come in. */
export interface Report {
  /** The client has met the situation of the check. */
  meet: () => void
  /** The client has made the mistake; `describe` is not called for those that are only counted. */
  fail: (describe: () => Found) => void
}

/** Checks for one kind of mistake, request by request. */
export interface Check<State> {
  id: CheckId
  category: Category
  severity: Severity
  /** The section of the specification that it rests on. */
  section: string
  /** What the check finds, as a phrase for the documentation. */
  finds: string
  /** What to do instead, in a sentence. */
  instead: string
  /**
   * Which requests it reads: all, those with a query, those for some endpoints or for an unknown path, or those that
   * failed and what follows on them for the same URL.
   */
  sees: 'all' | 'queries' | 'errors' | readonly (OperationId | 'unknown')[]
  /** What it remembers at first: plain data and maps of bounded size, so that they can be stored. */
  start: () => State
  read: (
    state: State,
    request: Readonly<ReviewedRequest>,
    report: Report,
    world: Pick<World, 'records' | 'options'>,
  ) => void
  /** What it finds in what is still open, when a review is asked for; changes nothing. */
  pending?: (state: State) => Found[]
}

/** Any check, for code that handles all of them. */
export type AnyCheck = Omit<Check<never>, 'start'> & { start: () => unknown }

export function defineCheck<State>(check: Check<State>): Check<State> {
  return check
}

/** How many URLs, callers or lists a check remembers at a time. */
const REMEMBERED = 1000

/** Adds an entry, in place of the oldest one where there are too many. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (map.size >= REMEMBERED && !map.has(key)) {
    const [oldest] = map.keys()
    map.delete(oldest as Key)
  }
  map.set(key, value)
}
