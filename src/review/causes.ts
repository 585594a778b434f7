import { SEVERITIES } from '../contract/verdicts.ts'
import { worstOf } from './check-findings.ts'
import { NO_PAUSE_MS } from './checks/backoff.ts'
import type { Cause, CheckResult, Finding, JudgedCheck } from './review.ts'

type Id = CheckResult['id']

/** Facts about a finding that only a rehearsal knows. */
export interface Trace {
  /** The numbers of the runs that show the finding. */
  runs: readonly number[]
  /** The checks whose mistakes the finding may follow from. */
  because?: readonly Id[] | undefined
  /** The number of the first run that the finding has spoilt. */
  since?: number
}

/**
 * The link between a cause and its consequence: requests for the same URL (`request`); the same run, or overlapping
 * requests outside a rehearsal (`wait`); no pause in either (`no-pause`); no run before the first one that the cause
 * spoilt (`since`); or a link that the rehearsal knows, from `Trace.because` (`known`).
 */
type Shared = 'request' | 'wait' | 'no-pause' | 'since' | 'known'

/** The pairs of checks whose findings are folded, the consequence into its cause. */
const PAIRS: readonly (readonly [cause: Id, consequence: Id, shared: Shared])[] = [
  ['retry-after', 'token-told-to-wait', 'wait'],
  ['retry-after', 'token-told-to-wait', 'no-pause'],
  ['retry-after', 'backoff', 'no-pause'],
  ['retry-after', 'missing-after-error', 'request'],
  ['retry-after', 'recovery', 'wait'],
  ['token-told-to-wait', 'recovery', 'wait'],
  ['backoff', 'recovery', 'wait'],
  ['hour-budget', 'recovery', 'wait'],
  ['probing', 'recovery', 'known'],
  ['retry-missing', 'recovery', 'known'],
  ['unknown-parameter', 'recovery', 'known'],
  ['unknown-path', 'recovery', 'known'],
  ['doubled-prefix', 'recovery', 'known'],
  ['agency-filter-scoped', 'recovery', 'known'],
  ['token-in-url', 'recovery', 'known'],
  ['unauthenticated', 'recovery', 'known'],
  ['unknown-parameter', 'undelivered', 'known'],
  ['unknown-path', 'undelivered', 'known'],
  ['doubled-prefix', 'undelivered', 'known'],
  ['twice', 'hour-budget', 'wait'],
  ['poll-latest', 'repeated-read', 'request'],
  ['poll-latest', 'endless-run', 'wait'],
  ['doubled-prefix', 'next-link', 'wait'],
  ['recovery', 'missing-after-error', 'since'],
  ['retry-after', 'undelivered', 'known'],
  ['token-told-to-wait', 'undelivered', 'known'],
  ['hour-budget', 'undelivered', 'known'],
  ['recovery', 'undelivered', 'known'],
  ['endless-run', 'undelivered', 'known'],
  ['missing-after-error', 'silent-failure', 'request'],
  ['missing-after-error', 'undelivered', 'known'],
  ['unfinished-content', 'undelivered', 'known'],
  ['next-link', 'undelivered', 'known'],
  ['hand-made-pages', 'undelivered', 'known'],
  ['probing', 'report-number-range', 'since'],
]

interface Found extends Trace {
  check: JudgedCheck
  finding: Finding
}

/**
 * Lists the mistakes of a client, most severe first, then widest. Each failed check is one mistake, with two
 * exceptions: a finding that follows from another mistake becomes its consequence, and each finding of `undelivered` is
 * a mistake of its own.
 */
export function listCauses(
  checks: readonly JudgedCheck[],
  traceOf: (finding: Finding) => Trace | undefined = () => undefined,
): Cause[] {
  const all = checks
    .filter(({ result }) => result === 'failed')
    .flatMap((check) =>
      check.findings.map((finding): Found => {
        const { run } = finding
        const runs = run === undefined ? [] : [run]
        return { check, finding, runs, ...traceOf(finding) }
      }),
    )
  const causes = new Map<string, Cause>()
  const causeOf = (root: Found): Cause => {
    const { check, finding, runs } = root
    const key = check.id === 'undelivered' ? `${check.id} ${finding.message}` : check.id
    const cause = causes.get(key) ?? { check: check.id, finding, runs: [], consequences: [] }
    cause.runs = inOrder([...cause.runs, ...runs])
    causes.set(key, cause)
    return cause
  }
  const roots = all.map((found) => rootOf(found, all))
  // Roots first, so that each mistake begins with its own finding.
  for (const [index, found] of all.entries()) if (roots[index] === found) causeOf(found)
  for (const [index, { check, finding }] of all.entries()) {
    const root = roots[index]!
    if (root.finding === finding) continue
    const { consequences } = causeOf(root)
    const known = consequences.find((one) => one.check === check.id)
    if (known) known.findings.push(finding)
    else consequences.push({ check: check.id, findings: [finding] })
  }
  for (const cause of causes.values()) cause.runs = runsOf(cause, checks)
  return [...causes.values()].toSorted(
    (one, other) => rankOf(one, checks) - rankOf(other, checks) || widthOf(other) - widthOf(one),
  )
}

/** Returns the finding at the root of a chain of consequences; a finding without a cause is its own root. */
function rootOf(found: Found, all: readonly Found[]): Found {
  let root = found
  // Ends, because `PAIRS` has no cycle.
  for (let cause = causeIn(root, all); cause; cause = causeIn(root, all)) root = cause
  return root
}

function causeIn(found: Found, all: readonly Found[]): Found | undefined {
  for (const [cause, consequence, shared] of PAIRS) {
    if (consequence !== found.check.id) continue
    const linked = all.find(
      (one) => one.check.id === cause && one.check.waived !== true && isLinked(one, found, shared),
    )
    if (linked) return linked
  }
  return undefined
}

function isLinked(cause: Found, found: Found, shared: Shared): boolean {
  if (cause.finding.session !== found.finding.session) return false
  if (shared === 'no-pause')
    return [cause, found].every(({ finding }) => (finding.waited_ms ?? Infinity) < NO_PAUSE_MS)
  if (shared === 'known') return found.because?.includes(cause.check.id) === true
  if (shared === 'request') {
    const paths = new Set(pathsOf(cause.finding))
    return pathsOf(found.finding).some((path) => paths.has(path))
  }
  if (shared === 'since') return Math.min(...found.runs) >= (cause.since ?? Infinity)
  if (found.runs.length > 0) {
    const runs = new Set(cause.check.runs ?? cause.runs)
    return found.runs.some((run) => runs.has(run))
  }
  const [from, to] = spanOf(cause.finding)
  const [ownFrom, ownTo] = spanOf(found.finding)
  return ownFrom <= to && from <= ownTo
}

function pathsOf({ requests }: Finding): string[] {
  return requests.map(({ path }) => path)
}

/** Returns the lowest and the highest sequence among the requests of a finding. */
function spanOf({ requests }: Finding): [from: number, to: number] {
  const sequences = requests.map(({ sequence }) => sequence)
  return [Math.min(...sequences), Math.max(...sequences)]
}

/**
 * Returns the runs in which the check of a cause found anything, even if the finding is not listed. If `undelivered`
 * has several findings, returns only the runs of the cause itself.
 */
function runsOf({ check: id, runs }: Cause, checks: readonly JudgedCheck[]): number[] {
  const { runs: all = [], findings = [] } = checks.find((check) => check.id === id) ?? {}
  const isWhole = id === 'undelivered' ? findings.length === 1 : true
  return isWhole ? inOrder([...runs, ...all]) : runs
}

/**
 * Returns the worst severity among a mistake and its consequences, without waived checks; `notice` if all are waived.
 */
export function severityOf(
  { check, consequences }: Cause,
  checks: readonly JudgedCheck[],
): JudgedCheck['severity'] {
  const ids = [check, ...consequences.map((one) => one.check)]
  const own = checks.filter(({ id, waived }) => ids.includes(id) && waived !== true)
  return worstOf(own.map(({ severity }) => severity)) ?? 'notice'
}

function rankOf(cause: Cause, checks: readonly JudgedCheck[]): number {
  const isWaived = checks.some(({ id, waived }) => id === cause.check && waived === true)
  return isWaived ? SEVERITIES.length : SEVERITIES.indexOf(severityOf(cause, checks))
}

/**
 * Returns the number of runs that show a mistake, or of its reports if greater, plus the number of its consequences.
 */
function widthOf({ runs, consequences, finding }: Cause): number {
  const followed = consequences.reduce((sum, { findings }) => sum + findings.length, 0)
  return Math.max(runs.length, finding.reports ?? 1) + followed
}

function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other)
}
