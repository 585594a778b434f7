import type { OperationId } from '../contract/routes.ts'
import type { SEVERITIES } from '../contract/verdicts.ts'
import type { World } from '../world/world.ts'
import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

export const CATEGORIES = ['retries', 'reports', 'paging', 'requests', 'security'] as const

/** A finding of a check: a sentence, and the requests that prove it. */
export interface Found {
  requests: readonly NamedRequest[]
  message: string
  /** Longest pause between the requests, in milliseconds; only if that pause is the mistake. */
  waitedMs?: number
  /** Severity of the finding, if milder than the check's. */
  severity?: 'warning' | 'notice'
}

/** Callbacks with which a check reports on a request. */
export interface CheckReporter {
  /** Reports that the client met the situation that the check is about. */
  meet: () => void
  /**
   * Reports a mistake in the given requests, or in the current one if omitted. Once the list of findings is full,
   * mistakes are only counted, and neither function is called. `more` may give the mistake a milder severity than the
   * check's.
   */
  fail: (
    describe: () => string,
    requests?: () => readonly NamedRequest[],
    more?: Pick<Found, 'waitedMs' | 'severity'>,
  ) => void
}

/** A check for one kind of mistake, which reads request by request. */
interface Definition<Id extends string, State> {
  id: Id
  category: (typeof CATEGORIES)[number]
  /** The severity of findings that state no milder one. */
  severity: (typeof SEVERITIES)[number]
  /** The section of the specification that the check is based on. */
  section: string
  /** The mistake, for the documentation: the predicate of a sentence about the client. */
  finds: string
  /** The right behaviour, as a sentence. */
  instead: string
  /** A way to bring a client into the situation, as a sentence. */
  exercise: string
  /**
   * The requests that the check reads: all, those with a query, those for some endpoints or an unknown path
   * (`unknown`), or failed requests and the next one for the same URL (`errors`).
   */
  sees: 'all' | 'queries' | 'errors' | readonly (OperationId | 'unknown')[]
  /**
   * Creates the initial state: plain data and maps of bounded size, so that it can be stored. If omitted, the check has
   * no state.
   */
  start?: () => State
  read: (
    request: Readonly<ReviewedRequest>,
    report: CheckReporter,
    state: State,
    world: Pick<World, 'records' | 'options'>,
  ) => void
  /** Returns the mistakes that the check would find if no more requests came. Must not change the state. */
  pending?: (state: State) => Found[]
  /**
   * The requests that can make up for a pending mistake: later ones of the session, or any of the run. If a command
   * ends the session first, the mistake stays unsettled. If omitted, nothing can make up for it. A check with this
   * option finds nothing in `read`.
   */
  mendedIn?: 'session' | 'run'
}

export type Check<Id extends string = string> = Omit<Definition<Id, never>, 'start'> & {
  start?: () => unknown
}

export function defineCheck<const Id extends string, State = null>(
  check: Definition<Id, State>,
): Check<Id> {
  return check
}

/** Maximum number of entries, such as URLs or callers, in a map of a check. */
const REMEMBERED = 1000

/** Adds an entry, and drops the oldest one if the map is full. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (map.size >= REMEMBERED && !map.has(key)) {
    const [oldest] = map.keys()
    map.delete(oldest as Key)
  }
  map.set(key, value)
}
