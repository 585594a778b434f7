import type { ClockState } from '../journal/applied-command.ts'
import type { SessionRun, Waiver } from '../session/session.ts'
import { listCauses } from './causes.ts'
import type { Trace } from './causes.ts'
import { projectOf } from './requirements.ts'
import type {
  Rehearsed,
  CheckResult,
  Finding,
  JudgedCheck,
  LedgerEntry,
  Required,
  RequiredReview,
  Review,
} from './review.ts'
import { isDelivered, toVerdict } from './verdict.ts'

export type { JudgedCheck }

type Clocks = SessionRun['clocks']

/** Facts about a run, for the reports on its review. */
export interface RunContext extends Omit<SessionRun, 'require' | 'waive' | 'clocks'> {
  version: string
  /**
   * The times of each clock at the start and the end of the run. `rate` is null in the review of a running server,
   * which reports no start by the rate clock.
   */
  clocks: { world: Clocks['world']; rate: Clocks['rate'] | null }
}

/** A waiver and its state: `used` if it excuses a failure. */
interface Waived extends Waiver {
  state: 'used' | 'unused' | 'expired'
}

/** A review as reports show it. The verdict depends on the requirements and waivers of the run. */
export interface JudgedReview extends Omit<Review, 'checks'>, Partial<Rehearsed> {
  checks: JudgedCheck[]
  context: RunContext
  required: Required[]
  waived: Waived[]
}

export interface Demands {
  require: readonly string[]
  waive: readonly Waiver[]
}

interface RunOptions {
  version: string
  /** Reviews the run, with a ledger of `projects`; if omitted, of the projects that were read. */
  review: (projects?: readonly number[]) => Review
  /** Explains, in a sentence, why the client never met the situation of a check. Called only for runs with a storm. */
  explainUnmet: (id: CheckResult['id']) => string
}

/** Judges a run by its review. The ledger includes the projects that the requirements name. */
export function judgeRun(
  { require, waive, ...run }: SessionRun,
  { version, review, explainUnmet }: RunOptions,
): JudgedReview {
  const whole = reviewWithRequired(require, review)
  const explained = whole.checks.map((check) =>
    run.storm && check.result === 'not-exercised'
      ? { ...check, exercise: `${explainUnmet(check.id)} ${check.exercise}` }
      : check,
  )
  const context = { ...run, version }
  const reviewed = { ...whole, ...toUnmetNotice(run.storm, whole), checks: explained }
  return judge(reviewed, { require, waive, context })
}

function toUnmetNotice(
  storm: SessionRun['storm'] = [],
  { notice }: Pick<Review, 'notice'>,
): Pick<Review, 'notice'> {
  const unmet = storm.flatMap((run) => run.unmet ?? [])
  if (unmet.length === 0) return {}
  const sentence = `The client never met these failures of the storm: ${unmet.join('; ')}.`
  return { notice: notice === undefined ? sentence : `${notice} ${sentence}` }
}

interface JudgeOptions extends Demands {
  context: RunContext
  traceOf?: (finding: Finding) => Trace | undefined
  /** Returns the reason why a report was not delivered, as a clause; undefined if unknown. */
  explainUndelivered?: Subject['explainUndelivered']
}

/** Judges a run by its review, its requirements, and the waivers in force on the day the run ended. */
export function judge(
  review: Omit<Review, 'checks' | 'causes'> & { checks: readonly JudgedCheck[] },
  { require, waive, context, traceOf, explainUndelivered }: JudgeOptions,
): JudgedReview {
  const isExpired = ({ until }: Waiver) => until < context.date.slice(0, until.length)
  const activeWaivers = new Set(waive.flatMap((waiver) => (isExpired(waiver) ? [] : [waiver.what])))
  const checks = review.checks.map((check): JudgedCheck => {
    const names = check.id === 'undelivered' ? [check.id, DELIVERED] : [check.id]
    const isWaived = check.result === 'failed' && names.some((name) => activeWaivers.has(name))
    return { ...check, findings: findingsOf(check, context), ...(isWaived && { waived: true }) }
  })
  const startedAt = context.clocks.world.from
  const subject = {
    checks,
    ledger: withoutSettledElsewhere(review),
    activeWaivers,
    startedAt,
    explainUndelivered,
  }
  const required = judgeAll(require, subject)
  const isAboutReports = required.some(({ what }) => what.startsWith(DELIVERED))
  const failed = new Set([
    ...checks.filter(({ result }) => result === 'failed').map(({ id }) => id),
    ...required.filter(({ met }) => !met).map(({ what }) => what),
    ...(isAboutReports ? subject.ledger.filter(isOpen) : []).map(requirementOf),
  ])
  const waived = waive.map((waiver): Waived => {
    const state = failed.has(waiver.what) ? 'used' : 'unused'
    return { ...waiver, state: isExpired(waiver) ? 'expired' : state }
  })
  const isUnmet =
    required.some(({ what, met }) => !met && !activeWaivers.has(what)) ||
    waived.some(({ state }) => state === 'expired')
  const verdict = toVerdict({ ...review, checks }, isUnmet)
  const causes = listCauses(checks, traceOf)
  return { ...review, verdict, checks, causes, context, required, waived }
}

/**
 * Reviews a client and judges the requirements, which affect the verdict. The ledger includes the projects that the
 * requirements name.
 *
 * @param startedAt the world clock when the review began, ISO 8601; `delivered:new` covers reports that have finished since then
 */
export function judgeRequirements(
  require: readonly string[],
  { review, startedAt }: { review: RunOptions['review']; startedAt: string },
): RequiredReview & { required: Required[] } {
  const whole = reviewWithRequired(require, review)
  const subject = {
    checks: whole.checks,
    ledger: withoutSettledElsewhere(whole),
    activeWaivers: NO_WAIVERS,
    startedAt,
  }
  const required = judgeAll(require, subject)
  const isUnmet = required.some(({ met }) => !met)
  return { ...whole, verdict: toVerdict(whole, isUnmet), required }
}

const NO_WAIVERS: ReadonlySet<string> = new Set()

function reviewWithRequired(require: readonly string[], review: RunOptions['review']): Review {
  const read = review()
  const named = require.flatMap((what) => projectOf(what) ?? [])
  if (named.length === 0) return read
  return review([...new Set([...read.ledger.map(({ project }) => project), ...named])])
}

function judgeAll(require: readonly string[], subject: Subject): Required[] {
  return [...new Set(require)].map((what) => judgeOne(what, subject))
}

function withoutSettledElsewhere({ ledger }: Pick<Review, 'ledger'>): LedgerEntry[] {
  return ledger.filter((row) => !isSettledElsewhere(row, ledger))
}

function findingsOf(
  { id, result, findings }: JudgedCheck,
  { exit }: RunContext,
): CheckResult['findings'] {
  if (id !== 'missing-after-error' || result !== 'failed' || exit !== 0) return findings
  return findings.map((finding) => ({
    ...finding,
    message: finding.message.replace(/\.(?= |$)/, ', and the command ended with 0.'),
  }))
}

interface Subject {
  checks: readonly JudgedCheck[]
  ledger: readonly LedgerEntry[]
  activeWaivers: ReadonlySet<string>
  startedAt: string
  explainUndelivered?: ((row: LedgerEntry) => string | undefined) | undefined
}

const CHECK_MESSAGES: Record<CheckResult['result'], string> = {
  passed: 'It passed.',
  failed: 'It failed.',
  'not-exercised': 'The client never met this situation.',
  unsettled: 'The session ended before the client could make up for the findings.',
}

function judgeOne(what: string, subject: Subject): Required {
  const check = subject.checks.find(({ id }) => id === what)
  if (check) {
    const { result, exercise } = check
    return { what, met: result === 'passed', message: CHECK_MESSAGES[result], exercise }
  }
  return what === 'warnings' ? judgeWarnings(subject) : judgeDelivery(what, subject)
}

function judgeWarnings({ checks }: Subject): Required {
  const failed = checks
    .filter(
      ({ severity, result, waived }) => severity === 'warning' && result === 'failed' && !waived,
    )
    .map(({ id }) => id)
  return {
    what: 'warnings',
    met: failed.length === 0,
    message:
      failed.length === 0 ? 'There are none.' : `There are warnings of ${failed.join(', ')}.`,
    exercise: 'Change the client as the warnings say, or waive a check until a given day.',
  }
}

const DELIVERED = 'delivered'

function judgeDelivery(
  what: string,
  { ledger, activeWaivers, startedAt, explainUndelivered }: Subject,
): Required {
  const project = projectOf(what)
  const isNew = what === 'delivered:new'
  const rows = ledger.filter(
    (entry) =>
      (project === undefined || entry.project === project) &&
      (!isNew || (entry.finished_at !== null && entry.finished_at >= startedAt)),
  )
  const open = rows.filter(isOpen)
  // A waiver of `delivered:101` also excuses the reports of project 101 in `delivered` and `delivered:new`.
  const unwaived =
    project === undefined ? open.filter((row) => !activeWaivers.has(requirementOf(row))) : open
  const delivered = rows.length - open.length
  const of = project === undefined ? '' : ` of project ${project}`
  const reports = `${isNew ? 'reports finished in the run' : 'finished reports'}${of}`
  return {
    what,
    met: unwaived.length === 0 && delivered > 0,
    message: `${delivered} of ${rows.length} ${reports} were delivered${listOpenReports(open, explainUndelivered)}.`,
    exercise: isNew
      ? 'Let reports be completed while the client runs, and let it read the content of each.'
      : `Let the client read the content of each finished report${of}, once the client has seen it completed.`,
  }
}

function listOpenReports(
  open: readonly LedgerEntry[],
  explainUndelivered: Subject['explainUndelivered'],
): string {
  if (open.length === 0) return ''
  const named = open.slice(0, MOST_NAMED).map((row) => {
    const { project, report_number, state } = row
    const reason = explainUndelivered?.(row)
    return `report ${report_number} of project ${project} (${state}${reason ? `: ${reason}` : ''})`
  })
  const rest = open.length - named.length
  return `, but not ${[...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')}`
}

const MOST_NAMED = 3

function isSettledElsewhere(
  { state, report_id }: LedgerEntry,
  ledger: readonly LedgerEntry[],
): boolean {
  if (state !== 'unsettled') return false
  return ledger.some((row) => row.report_id === report_id && row.state !== 'unsettled')
}

function isOpen(row: LedgerEntry): boolean {
  return !isDelivered(row)
}

function requirementOf({ project }: LedgerEntry): string {
  return `${DELIVERED}:${project}`
}

/** Returns the times of each clock at the start and the end of a run. */
export function clocksBetween(began: ClockState, ended: ClockState) {
  return {
    world: { from: began.now, to: ended.now },
    rate: { from: began.rate_clock, to: ended.rate_clock },
  }
}
