import type { RequestFilterInput } from '../journal/request-filter.ts'
import type { ExpectationInput } from '../journal/expectation.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** How often a request is expected: at least once where omitted. */
export interface ExpectedTimes {
  times?: number
  min?: number
  max?: number
}

/** The result of a matcher in Vitest and Jest. */
export interface MatcherResult {
  pass: boolean
  message: () => string
}

/** An endpoint, like `GET /projects/{project}`, or a filter. */
export type ExpectedRequest = string | RequestFilterInput

/** The matchers of `expect(sandbox)` once it is extended; `Result` is their return type. */
export interface SandboxMatchers<Result = void> {
  /**
   * Whether the endpoint was requested, or matching requests were made: at least once, or as often as
   * given. With `.not` and no number: never.
   */
  toHaveRequested: (
    request: ExpectedRequest,
    options?: ExpectedTimes & RequestFilterInput,
  ) => Result
  /** Whether matching requests were made in this order, with any others in between. */
  toHaveRequestedInOrder: (requests: readonly ExpectedRequest[]) => Result
  /** Whether every path that was requested belongs to an endpoint. */
  toHaveOnlyKnownRoutes: () => Result
}

export function toHaveRequested(
  received: unknown,
  request: ExpectedRequest,
  { times, min, max, ...more }: ExpectedTimes & RequestFilterInput = {},
): MatcherResult {
  const range = min === undefined && max === undefined ? undefined : { min, max }
  return verifyBy(received, { requests: { ...toFilter(request), ...more }, times: times ?? range })
}

export function toHaveRequestedInOrder(
  received: unknown,
  requests: readonly ExpectedRequest[],
): MatcherResult {
  return verifyBy(received, { in_order: requests.map(toFilter) })
}

export function toHaveOnlyKnownRoutes(received: unknown): MatcherResult {
  return verifyBy(received, { no_unknown_routes: true })
}

function toFilter(request: ExpectedRequest): RequestFilterInput {
  return typeof request === 'string' ? { route: request } : request
}

/** @throws CommandError for an invalid expectation, TypeError for anything but a sandbox. */
function verifyBy(received: unknown, expectation: ExpectationInput): MatcherResult {
  const { passed, message } = toSandbox(received).requests.verify(expectation)
  // The message of a passing matcher is shown where it fails after `.not`.
  return { pass: passed, message: () => (passed ? `Expected otherwise: ${message}` : message) }
}

function toSandbox(received: unknown): Pick<Sandbox, 'requests'> {
  const isSandbox = typeof received === 'object' && received !== null && 'requests' in received
  if (isSandbox) return received as Sandbox
  throw new TypeError(
    'Only a sandbox has requests. Write expect(sandbox), awaited if it is a promise.',
  )
}
