import { SEVERITIES } from '../contract/verdicts.ts'
import { worstOf } from './check-findings.ts'
import { NO_PAUSE_MS } from './checks/backoff.ts'
import type { Cause, CheckResult, Finding, JudgedCheck } from './review.ts'

type Id = CheckResult['id']

/** Facts about a finding that only a rehearsal knows. */
export interface Trace {
  /** Numbers of the runs that show the finding. */
  runs: readonly number[]
  possibleCauses?: readonly Id[] | undefined
  /** Number of the first run that went wrong because of the mistake; omitted if the finding is in no run. */
  spoiltFrom?: number
}

/**
 * Condition under which a finding (the consequence) follows from another finding (the cause) of the same session.
 *
 * - `same-url`: both have a request for the same URL.
 * - `same-run`: the check of the cause found something in a run of the consequence; outside a rehearsal, the first to
 *   last sequence of one finding overlaps that of the other.
 * - `no-pause`: both state a longest pause, each shorter than `NO_PAUSE_MS`.
 * - `later-run`: no run of the consequence is before `spoiltFrom` of the cause; outside a rehearsal, always true.
 * - `known`: `possibleCauses` of the consequence names the check of the cause.
 */
type Link = 'same-url' | 'same-run' | 'no-pause' | 'later-run' | 'known'

const LINKS: readonly (readonly [cause: Id, consequence: Id, link: Link])[] = [
  ['retry-after', 'token-told-to-wait', 'same-run'],
  ['retry-after', 'token-told-to-wait', 'no-pause'],
  ['retry-after', 'backoff', 'no-pause'],
  ['retry-after', 'missing-after-error', 'same-url'],
  ['retry-after', 'recovery', 'same-run'],
  ['token-told-to-wait', 'recovery', 'same-run'],
  ['backoff', 'recovery', 'same-run'],
  ['hour-budget', 'recovery', 'same-run'],
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
  ['twice', 'hour-budget', 'same-run'],
  ['poll-latest', 'repeated-read', 'same-url'],
  ['poll-latest', 'endless-run', 'same-run'],
  ['doubled-prefix', 'next-link', 'same-run'],
  ['recovery', 'missing-after-error', 'later-run'],
  ['retry-after', 'undelivered', 'known'],
  ['token-told-to-wait', 'undelivered', 'known'],
  ['hour-budget', 'undelivered', 'known'],
  ['recovery', 'undelivered', 'known'],
  ['endless-run', 'undelivered', 'known'],
  ['missing-after-error', 'silent-failure', 'same-url'],
  ['missing-after-error', 'undelivered', 'known'],
  ['unfinished-content', 'undelivered', 'known'],
  ['next-link', 'undelivered', 'known'],
  ['hand-made-pages', 'undelivered', 'known'],
  ['probing', 'report-number-range', 'later-run'],
]

interface TracedFinding extends Trace {
  check: JudgedCheck
  finding: Finding
}

/**
 * Lists the mistakes of a client: most severe first, then by descending number of affected runs, reports and findings;
 * waived ones last.
 *
 * Each failed check is one mistake, with two exceptions: a finding that another mistake caused is listed as a
 * consequence of that mistake, and the findings of `undelivered` are separate mistakes.
 */
export function listCauses(
  checks: readonly JudgedCheck[],
  traceOf: (finding: Finding) => Trace | undefined = () => undefined,
): Cause[] {
  const all = checks
    .filter(({ result }) => result === 'failed')
    .flatMap((check) =>
      check.findings.map((finding): TracedFinding => {
        const { run } = finding
        const runs = run === undefined ? [] : [run]
        return { check, finding, runs, ...traceOf(finding) }
      }),
    )
  const causes = new Map<string, Cause>()
  const causeOf = (root: TracedFinding): Cause => {
    const { check, finding, runs } = root
    const key = check.id === 'undelivered' ? `${check.id} ${finding.message}` : check.id
    const cause = causes.get(key) ?? { check: check.id, finding, runs: [], consequences: [] }
    cause.runs = inOrder([...cause.runs, ...runs])
    causes.set(key, cause)
    return cause
  }
  const roots = all.map((found) => rootOf(found, all))
  // Causes are created before consequences are added, so that the `finding` of each is the first root of its check.
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

function rootOf(found: TracedFinding, all: readonly TracedFinding[]): TracedFinding {
  let root = found
  // The loop ends, because `LINKS` has no cycle.
  for (let cause = causeIn(root, all); cause; cause = causeIn(root, all)) root = cause
  return root
}

function causeIn(found: TracedFinding, all: readonly TracedFinding[]): TracedFinding | undefined {
  for (const [cause, consequence, link] of LINKS) {
    if (consequence !== found.check.id) continue
    const linked = all.find(
      (one) => one.check.id === cause && one.check.waived !== true && isLinked(one, found, link),
    )
    if (linked) return linked
  }
  return undefined
}

function isLinked(cause: TracedFinding, found: TracedFinding, link: Link): boolean {
  if (cause.finding.session !== found.finding.session) return false
  if (link === 'no-pause')
    return [cause, found].every(({ finding }) => (finding.waited_ms ?? Infinity) < NO_PAUSE_MS)
  if (link === 'known') return found.possibleCauses?.includes(cause.check.id) === true
  if (link === 'same-url') {
    const paths = new Set(pathsOf(cause.finding))
    return pathsOf(found.finding).some((path) => paths.has(path))
  }
  if (link === 'later-run') return Math.min(...found.runs) >= (cause.spoiltFrom ?? Infinity)
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

function spanOf({ requests }: Finding): [from: number, to: number] {
  const sequences = requests.map(({ sequence }) => sequence)
  return [Math.min(...sequences), Math.max(...sequences)]
}

/**
 * Returns all runs in which the check of a cause found anything, including unlisted findings. For one of several
 * `undelivered` causes, returns only its own runs.
 */
function runsOf({ check: id, runs }: Cause, checks: readonly JudgedCheck[]): number[] {
  const { runs: all = [], findings = [] } = checks.find((check) => check.id === id) ?? {}
  const isWhole = id === 'undelivered' ? findings.length === 1 : true
  return isWhole ? inOrder([...runs, ...all]) : runs
}

/**
 * Returns the worst severity of the checks of a mistake and its consequences, ignoring waived checks; `notice` if all
 * are waived.
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
 * Returns the number of affected runs or reports, whichever is greater, plus the number of findings among the
 * consequences.
 */
function widthOf({ runs, consequences, finding }: Cause): number {
  const followed = consequences.reduce((sum, { findings }) => sum + findings.length, 0)
  return Math.max(runs.length, finding.reports ?? 1) + followed
}

function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other)
}
