import type { RequestFilterInput } from '../journal/request-filter.ts'
import type { ExpectationInput } from '../journal/verification.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { isDelivered, isError } from '../review/verdict.ts'
import { formatReport } from './rehearse/format-report.ts'
import type { RehearsalReport } from './rehearse/rehearse-client.ts'

/**
 * The expected number of requests: exactly `times`, or at least `min` and at most `max`; at least one if all are
 * omitted.
 */
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

/** The matchers that `expect.extend` adds. `Result` is their return type. */
export interface SandboxMatchers<Result = void> {
  /**
   * Passes if matching requests were made: at least once, or as often as the options say. With `.not` and no number, passes if
   * none was made.
   */
  toHaveRequested: (
    request: ExpectedRequest,
    options?: ExpectedTimes & RequestFilterInput,
  ) => Result
  /** Passes if matching requests were made in this order. Other requests may come in between. */
  toHaveRequestedInOrder: (requests: readonly ExpectedRequest[]) => Result
  /** Passes if every requested path belongs to an endpoint. */
  toHaveOnlyKnownRoutes: () => Result
  /**
   * Passes if the verdict of the review is `passed`: no check with the severity error failed, and a request got a 200. Warnings
   * and notices do not matter; `sandbox.review()` lists them.
   */
  toPassReview: () => Result
  /**
   * Passes if there are finished reports, and the client fetched the content of each in time after its completion.
   * Covers `projects`; if omitted, the projects that the client has read. Repeated fetches do not matter.
   */
  toHaveDeliveredAll: (options?: { projects?: readonly number[] }) => Result
  /** Passes if the verdict of a report from `rehearse` is `passed`. The failure message is the report. */
  toHavePassed: () => Result
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

export function toHavePassed(received: unknown): MatcherResult {
  const report = received as Partial<RehearsalReport> | null | undefined
  if (!report?.runs || !report.plan)
    throw new TypeError(
      'This is not the report of a rehearsal. Pass the result of `await rehearse(…)`.',
    )
  const { verdict } = report
  return { pass: verdict === 'passed', message: () => formatReport(report as RehearsalReport) }
}

export function toPassReview(received: unknown): MatcherResult {
  const { verdict, requests, checks } = toSandbox(received).review()
  const findings = checks
    .filter(isError)
    .flatMap(({ id, findings: found }) =>
      found.map(({ message, instead }) => `${id}: ${message} ${instead}`),
    )
  const messages = {
    passed: `Expected mistakes, but the review of ${requests} requests has none.`,
    failed: `Expected no mistakes, but the review has:\n${findings.join('\n')}`,
    'nothing-read': `There is nothing to review: none of ${requests} requests got a 200.`,
    'nothing-asked': 'There is nothing to review: no request was made.',
  }
  return { pass: verdict === 'passed', message: () => messages[verdict] }
}

export function toHaveDeliveredAll(
  received: unknown,
  { projects }: { projects?: readonly number[] } = {},
): MatcherResult {
  const { ledger } = toSandbox(received).review(projects && { projects })
  const missing = ledger.filter((entry) => !isDelivered(entry))
  const lines = missing.map(
    ({ project, report_number, report_id, state }) =>
      `report ${report_number} of project ${project} (id ${report_id}) is ${state}`,
  )
  // An empty ledger fails, because the client may have read no project.
  const pass = ledger.length > 0 && missing.length === 0
  const fails =
    ledger.length === 0
      ? 'There is nothing to deliver: no project was read that has a finished report.'
      : `Expected every finished report to be delivered, but:\n${lines.join('\n')}`
  const passes = `Expected otherwise: all ${ledger.length} finished reports are delivered.`
  return { pass, message: () => (pass ? passes : fails) }
}

function toFilter(request: ExpectedRequest): RequestFilterInput {
  return typeof request === 'string' ? { route: request } : request
}

/** @throws CommandError if the expectation is invalid, and TypeError if `received` is not a sandbox. */
function verifyBy(received: unknown, expectation: ExpectationInput): MatcherResult {
  const { passed, message } = toSandbox(received).requests.verify(expectation)
  // If `.not` makes a passing matcher fail, its message is shown.
  return { pass: passed, message: () => (passed ? `Expected otherwise: ${message}` : message) }
}

function toSandbox(received: unknown): Pick<Sandbox, 'requests' | 'review'> {
  const isSandbox = typeof received === 'object' && received !== null && 'requests' in received
  if (isSandbox) return received as Sandbox
  throw new TypeError(
    'Only a sandbox has requests. Write expect(sandbox), awaited if it is a promise.',
  )
}
