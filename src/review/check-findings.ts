import { toDateTime } from '../contract/time.ts'
import { SEVERITIES } from '../contract/verdicts.ts'
import type { Check, RawFinding } from './check.ts'
import type { CheckResult, Finding } from './review.ts'
import { shortenPath } from './reviewed-request.ts'

/**
 * Maximum number of findings kept per check in the current session. `MAXIMUM_FINDINGS_OF_ENDED` applies to an ended
 * session.
 */
export const MAXIMUM_FINDINGS = 20
const MAXIMUM_FINDINGS_OF_ENDED = 5
const MAXIMUM_SESSIONS_WITH_FINDINGS = 20
export const MAXIMUM_REQUESTS_OF_FINDING = 10

/** State and findings of a check in the current session. */
export interface CheckProgress {
  isMet: boolean
  failures: number
  /** The worst severity of the failures; null if there are none. */
  worst: Severity | null
  findings: RawFinding[]
  own: unknown
}

/** Result and findings of a check over one or several sessions. */
export interface CheckFindings {
  result: CheckResult['result']
  /** Number of findings, including those that are not kept. */
  count: number
  /** The worst severity of the findings; null if there are none. */
  worst: Severity | null
  sessions: number
  findings: Omit<Finding, 'instead'>[]
}

type Severity = CheckResult['severity']

export const NO_FINDINGS: CheckFindings = {
  result: 'not-exercised',
  count: 0,
  worst: null,
  sessions: 0,
  findings: [],
}

/** Results in ascending order. Over several sessions, the highest result of any session applies. */
const RESULT_PRECEDENCE = ['not-exercised', 'unsettled', 'passed', 'failed']

interface FindingsContext {
  before: CheckFindings
  session: number
  /** True if a command ends the session, so that later requests cannot make up for findings. */
  isEnded: boolean
  /** Hides bearer values, which paths and messages may contain. */
  redact: (text: string) => string
}

/** Returns the worst of the severities that are not null; null if there are none. */
export function worstOf(severities: readonly (Severity | null)[]): Severity | null {
  return SEVERITIES.find((severity) => severities.includes(severity)) ?? null
}

function sessionFindings(
  { pending, mendedIn, severity }: Check,
  { isMet, failures, worst, findings, own }: CheckProgress,
  { session, isEnded, before, redact }: FindingsContext,
): CheckFindings {
  const open = pending?.(own as never) ?? []
  const isMended = mendedIn === 'run' && before.result === 'passed'
  const isUnsettled = open.length > 0 && (isMended || (isEnded && mendedIn !== undefined))
  const count = failures + open.length
  const settled = count > 0 ? 'failed' : isMet ? 'passed' : 'not-exercised'
  const kept = [...findings, ...open]
    .slice(0, MAXIMUM_FINDINGS)
    .map((found): Omit<Finding, 'instead'> => {
      const { requests, message, waitedMs } = found
      const named = requests.slice(0, MAXIMUM_REQUESTS_OF_FINDING)
      return {
        session,
        at: toDateTime(named.at(-1)!.rateMs),
        requests: named.map(({ sequence, method, path, status }) => {
          return { sequence, method: redact(method), path: shortenPath(redact(path)), status }
        }),
        message: redact(message),
        ...(waitedMs !== undefined && { waited_ms: waitedMs }),
      }
    })
  const result = isUnsettled ? 'unsettled' : settled
  return {
    result,
    count,
    worst: worstOf([worst, ...open.map((found) => found.severity ?? severity)]),
    sessions: count > 0 ? 1 : 0,
    findings: kept,
  }
}

export function addFindings(
  check: Check,
  judged: CheckProgress,
  context: FindingsContext,
): CheckFindings {
  const { before, isEnded } = context
  const next = sessionFindings(check, judged, context)
  const difference =
    RESULT_PRECEDENCE.indexOf(next.result) - RESULT_PRECEDENCE.indexOf(before.result)
  if (difference < 0) return before
  const { count, worst, sessions, findings } = difference === 0 ? before : NO_FINDINGS
  const most = isEnded ? MAXIMUM_FINDINGS_OF_ENDED : MAXIMUM_FINDINGS
  const added = next.findings.slice(0, sessions < MAXIMUM_SESSIONS_WITH_FINDINGS ? most : 0)
  return {
    result: next.result,
    count: count + next.count,
    worst: worstOf([worst, next.worst]),
    sessions: sessions + next.sessions,
    findings: [...findings, ...added],
  }
}

export function toResult(
  { id, category, severity: own, section, instead, exercise }: Check<CheckResult['id']>,
  { result, count, worst, sessions, findings: kept }: CheckFindings,
): CheckResult {
  const listed = kept.length
  const more =
    sessions > 1
      ? ` There were ${count} of these in ${sessions} sessions; ${listed} are listed.`
      : ` There were ${count} of these in all; the first ${listed} are listed.`
  const findings = kept.map(({ message, ...finding }, index): Finding => {
    const isLast = index === listed - 1 && count > listed
    return { ...finding, message: isLast ? message + more : message, instead }
  })
  return {
    id,
    category,
    severity: worst ?? own,
    section,
    result,
    exercise,
    findings,
    ...(count > listed && { total: count }),
  }
}
