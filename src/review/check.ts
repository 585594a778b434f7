import type { OperationId } from '../contract/routes.ts'
import type { SEVERITIES } from '../contract/verdicts.ts'
import type { World } from '../world/world.ts'
import type { NamedRequest, ReviewedRequest } from './reviewed-request.ts'

export const CATEGORIES = ['retries', 'reports', 'paging', 'requests', 'security'] as const

/** A finding before it is redacted and assigned to a session. */
export interface RawFinding {
  requests: readonly NamedRequest[]
  message: string
  /** Longest pause between the requests, in milliseconds; omitted unless the mistake is about pauses. */
  waitedMs?: number
  /** Overrides the severity of the check with a milder one. */
  severity?: 'warning' | 'notice'
}

export interface CheckReporter {
  /** Reports that the client met the situation that the check is about. */
  meet: () => void
  /**
   * Reports a mistake in `requests`; in the current request if omitted. After `MAXIMUM_FINDINGS` mistakes in a session,
   * only counts the mistake and notes its severity, without calling `describe` or `requests`.
   */
  fail: (
    describe: () => string,
    requests?: () => readonly NamedRequest[],
    more?: Pick<RawFinding, 'waitedMs' | 'severity'>,
  ) => void
}

interface Definition<Id extends string, State> {
  id: Id
  category: (typeof CATEGORIES)[number]
  /** Severity of findings that do not set a milder one. */
  severity: (typeof SEVERITIES)[number]
  section: string
  /** The mistake, as the predicate of a sentence about the client; for the documentation. */
  finds: string
  /** The right behaviour, as a sentence. */
  instead: string
  /** Instruction that makes a client exercise the check, as a sentence. */
  exercise: string
  /**
   * Requests that the check reads.
   *
   * - `all`: every request of the client
   * - `queries`: requests with a query
   * - `errors`: requests that failed or got no 200, and the caller's next request with the same method and URL
   * - a list: requests for these endpoints; `unknown` is a path without an endpoint
   */
  sees: 'all' | 'queries' | 'errors' | readonly (OperationId | 'unknown')[]
  /**
   * Creates the initial state. A store saves the state, so it must be plain data and maps, of bounded size. Omitted by
   * a check without state.
   */
  start?: () => State
  read: (
    request: Readonly<ReviewedRequest>,
    report: CheckReporter,
    state: State,
    world: Pick<World, 'records' | 'options'>,
  ) => void
  /** Returns the mistakes that the check would find if no more requests came. Must not change the state. */
  pending?: (state: State) => RawFinding[]
  /**
   * Sessions whose requests can make up for a pending mistake: only the current one, or all sessions of the run. A
   * mistake that is pending when a command ends the session is unsettled; without this field, it fails the check.
   *
   * A check with this field must not report mistakes in `read`, because a pending mistake would make those unsettled
   * too.
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

/** Maximum size of a map to which `remember` adds. */
const MAXIMUM_ENTRIES = 1000

/** Adds or replaces an entry. If the map is full, a new key drops the oldest one. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (map.size >= MAXIMUM_ENTRIES && !map.has(key)) {
    const [oldest] = map.keys()
    map.delete(oldest as Key)
  }
  map.set(key, value)
}
