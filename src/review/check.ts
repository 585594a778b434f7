import type { OperationId } from '../contract/routes.ts'
import type { SEVERITIES } from '../contract/verdicts.ts'
import type { World } from '../world/world.ts'
import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

/** What checks are about. */
export const CATEGORIES = ['retries', 'reports', 'paging', 'requests', 'security'] as const

/** What a check has found: the requests that show it, and a sentence. */
export interface Found {
  requests: readonly NamedRequest[]
  message: string
  /** The longest pause between its requests, in milliseconds, where that is the mistake. */
  waitedMs?: number
  /** Its severity if it is milder than the check's. */
  severity?: 'warning' | 'notice'
}

/** How a check reports what it finds in a request. */
export interface CheckReporter {
  /** The client got into the situation that the check is about. */
  meet: () => void
  /**
   * The client made the mistake, in these requests, or in this one if none are given. Once the list is full, further
   * mistakes are only counted and neither function is called. A mistake can be a warning though the check has errors.
   */
  fail: (
    describe: () => string,
    requests?: () => readonly NamedRequest[],
    more?: Pick<Found, 'waitedMs' | 'severity'>,
  ) => void
}

/** Looks for one kind of mistake, request by request. */
interface Definition<Id extends string, State> {
  id: Id
  category: (typeof CATEGORIES)[number]
  /** The severity of its findings, unless one states a milder one. */
  severity: (typeof SEVERITIES)[number]
  /** The section of the specification that it rests on. */
  section: string
  /** What the check finds, as a phrase for the documentation. */
  finds: string
  /** What to do instead, in a sentence. */
  instead: string
  /** How to have a client meet the situation, in a sentence. */
  exercise: string
  /**
   * Which requests it reads: all, those with a query, those for some endpoints or for an unknown path, or those that
   * failed and the next one for the same URL.
   */
  sees: 'all' | 'queries' | 'errors' | readonly (OperationId | 'unknown')[]
  /** What it remembers at first: plain data and maps of bounded size, so that it can be stored. Nothing if omitted. */
  start?: () => State
  read: (
    request: Readonly<ReviewedRequest>,
    report: CheckReporter,
    state: State,
    world: Pick<World, 'records' | 'options'>,
  ) => void
  /** The mistakes that it would find if no more requests came; changes nothing. */
  pending?: (state: State) => Found[]
  /**
   * Which requests can make up for what is pending: later ones of the session, or any of the run. A command that ends the
   * session before they come leaves it unsettled. None where omitted. A check that has this finds nothing in `read`.
   */
  mendedIn?: 'session' | 'run'
}

/** Any check, whatever it remembers. */
export type Check<Id extends string = string> = Omit<Definition<Id, never>, 'start'> & {
  start?: () => unknown
}

export function defineCheck<const Id extends string, State = null>(
  check: Definition<Id, State>,
): Check<Id> {
  return check
}

/** How many URLs, callers or lists a check remembers at a time. */
const REMEMBERED = 1000

/** Adds an entry, and drops the oldest one if there are too many. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (map.size >= REMEMBERED && !map.has(key)) {
    const [oldest] = map.keys()
    map.delete(oldest as Key)
  }
  map.set(key, value)
}
