import { withoutControls } from '../../contract/text.ts'
import { severityOf } from '../causes.ts'
import type { Cause, CheckResult, Finding, LedgerEntry, Review, Reproduction } from '../review.ts'
import type { JudgedCheck, JudgedReview } from '../judge.ts'
import { demandsOf, describeRun, showTime } from './record.ts'
import type { DemandList } from './record.ts'
import { describeBudget, describeDay, describeRuns, isRehearsed } from './rehearsal.ts'
import type { RehearsedReview } from './rehearsal.ts'
import type { ReportInput } from './report-input.ts'

/**
 * Maximum number of items of each kind in a report for people; in HTML, `findingsOnPage` applies instead of `findings`,
 * and `deliveries` does not apply. JSON and JUnit reports have all items.
 */
export const SHOWN = { findings: 3, findingsOnPage: 20, requests: 8, deliveries: 20 } as const

type SessionCount = Pick<Review, 'sessions'>

export function labelOf({
  result,
  severity,
  waived,
}: Pick<JudgedCheck, 'result' | 'severity' | 'waived'>): string {
  if (result === 'not-exercised') return 'not exercised'
  if (result !== 'failed') return result
  if (waived) return 'waived'
  return severity === 'error' ? 'failed' : severity
}

export function insteadsOf({ findings }: Pick<ShownCause, 'findings'>): string[] {
  return [...new Set(findings.map(({ instead }) => instead))]
}

/** Splits text at code between backticks. Parts with an odd index are code. */
export function splitAtCode(text: string): string[] {
  return text.split(/`([^`]+)`/)
}

const ORDER = ['failed', 'warning', 'notice', 'waived']

export interface ShownCause extends Pick<CheckResult, 'id' | 'category' | 'section' | 'findings'> {
  label: string
  runs: readonly number[]
  /** The consequences, such as `and so 3 reports were not delivered (undelivered)`; undefined without any. */
  consequencePhrase: string | undefined
}

function showCause(
  { check: id, finding, runs, consequences }: Cause,
  review: JudgedReview,
): ShownCause {
  const { checks, causes } = review
  const check = checks.find((one) => one.id === id)!
  const folded = new Set(
    causes.flatMap((cause) => cause.consequences.flatMap((one) => one.findings)),
  )
  const severity = severityOf({ check: id, finding, runs, consequences }, checks)
  const own = check.findings.filter((one) => one !== finding && !folded.has(one))
  return {
    id,
    category: check.category,
    section: check.section,
    label: labelOf({ ...check, severity }),
    // Each finding of `undelivered` is a mistake of its own.
    findings: id === 'undelivered' ? [finding] : [finding, ...own],
    runs,
    consequencePhrase: describeConsequences(consequences),
  }
}

function describeConsequences(consequences: Cause['consequences']): string | undefined {
  if (consequences.length === 0) return undefined
  const phrases = consequences.map(({ check, findings }) => {
    const reports = findings.reduce((sum, one) => sum + (one.reports ?? 0), 0)
    if (reports > 0)
      return `${plural(reports, 'report')} ${reports === 1 ? 'was' : 'were'} not delivered (${check})`
    return CONSEQUENCES[check] ?? `${plural(findings.length, 'finding')} of ${check}`
  })
  return `and so ${phrases.join(', ')}`
}

const CONSEQUENCES: Partial<Record<CheckResult['id'], string>> = {
  'token-told-to-wait': 'its token was refused again and again (token-told-to-wait)',
  backoff: 'it tried again without a pause (backoff)',
  recovery: 'undisturbed runs failed (recovery)',
  'missing-after-error': 'failed reads were never made up for (missing-after-error)',
  'silent-failure': 'a run ended as if everything was done (silent-failure)',
  'endless-run': 'a run did not end (endless-run)',
  'next-link': 'the next page was never read (next-link)',
}

/** Summarizes the results: `1 check failed, 2 warnings, 9 checks passed, 1 unsettled, 6 not exercised`. */
export function summarizeChecks(checks: readonly JudgedCheck[]): string {
  const order = [...ORDER, 'passed', 'unsettled', 'not exercised']
  return countEach(checks.map(labelOf), { order, usual: 'passed' })
}

/**
 * Counts each of `labels`, in `order`: `2 warnings, 5 checks passed`. Omits a label with a count of 0, unless it is
 * `usual`.
 */
function countEach(
  labels: readonly string[],
  { order, usual }: { order: readonly string[]; usual: string },
): string {
  const counts = order.flatMap((label) => {
    const times = labels.filter((one) => one === label).length
    if (times === 0 && label !== usual) return []
    if (label === 'warning' || label === 'notice') return plural(times, label)
    return label === 'failed' || label === 'passed'
      ? `${plural(times, 'check')} ${label}`
      : `${times} ${label}`
  })
  return counts.join(', ')
}

/** Summarizes the review in a sentence, followed by its notice. */
export function summarizeReview({ checks, requests, sessions, notice }: JudgedReview): string {
  const summary =
    requests === 0
      ? 'The client made no request, so nothing was reviewed.'
      : `${plural(requests, 'request')}${sessions > 1 ? ` in ${sessions} sessions` : ''}: ${summarizeChecks(checks)}.`
  return notice === undefined ? summary : `${summary} ${notice}`
}

const HINTS: Partial<Record<Review['verdict'], string>> = {
  'nothing-asked':
    'Point it at SEO_SANDBOX_URL, or give it the address in another variable with --env. Requests to isolated worlds are not reviewed.',
  'nothing-read':
    'None of its requests got a 200, so nothing is claimed about it. Check its token, its base URL and its paths.',
}

const NOTHING_REHEARSED =
  'Let it use the `fetch` or the `url` passed to it, or answer its requests with handlers of the rehearsed sandbox.'

export function causesOf(review: JudgedReview): ShownCause[] {
  return review.causes.map((cause) => showCause(cause, review))
}

/** The parts of a report on a review, in every format except JSON. */
export interface Outline {
  review: JudgedReview
  summary: string
  /** Undefined for a review outside a rehearsal. */
  rehearsal: RehearsedReview | undefined
  /** Sentence on the number of projects that the rate limits allow; undefined if the review has no budget. */
  budget: string | undefined
  /** Advice if nothing was reviewed or read; otherwise empty. */
  hints: string[]
  failed: ShownCause[]
  demands: DemandList[]
  run: [name: string, text: string][]
  reproductions: [phrase: string, command: string][]
}

export function outlineOf({ review, session, repeatCommand }: ReportInput): Outline {
  return {
    review,
    summary: summarizeReview(review),
    rehearsal: isRehearsed(review) ? review : undefined,
    budget: isRehearsed(review) ? describeBudget(review) : undefined,
    hints: hintsOf(review),
    failed: causesOf(review),
    demands: demandsOf(review),
    run: describeRun(review),
    reproductions: isRehearsed(review)
      ? rehearseAgain(review, repeatCommand)
      : session === undefined
        ? []
        : [[phraseFor(review), reproduction(session)]],
  }
}

function hintsOf(review: JudgedReview): string[] {
  if (review.requests === 0 && isRehearsed(review) && !isOfCommand(review))
    return [NOTHING_REHEARSED]
  return [HINTS[review.requests === 0 ? 'nothing-asked' : review.verdict] ?? []].flat()
}

/**
 * Returns the message of a finding. In a rehearsal, the run and its day precede it; in a review of several sessions,
 * the session and the time.
 */
export function findingMessage(
  { session, at, message, run }: Finding,
  { sessions, runs }: SessionCount & Pick<JudgedReview, 'runs'>,
): string {
  const found = runs?.find(({ number }) => number === run)
  const inSession = sessions > 1 ? `Session ${session}, ${showTime(at)}: ` : ''
  const place = found ? `${describeDay(found)}: ` : inSession
  return withoutControls(place + message)
}

/** Returns a line with the days of the runs that show a mistake; no line for a single run, or outside a rehearsal. */
export function daysOf({ runs }: Pick<ShownCause, 'runs'>, review: JudgedReview): string[] {
  return isRehearsed(review) ? describeRuns(runs, review) : []
}

/** Formats the requests of a finding: `#12 GET /api/v1/projects?page=2 429`. */
export function requestLines({ requests }: Finding): string[] {
  return requests.map(({ sequence, method, path, status }) => {
    const shownStatus = status === 0 ? 'no response' : String(status)
    return withoutControls(`#${sequence} ${method} ${path} ${shownStatus}`)
  })
}

export const STATE_LABELS = {
  delivered: 'delivered',
  missing: 'never fetched',
  late: 'late',
  twice: 'fetched twice',
  unfinished: 'unfinished',
  stale: 'stale',
  unsettled: 'unsettled',
} as const satisfies Record<LedgerEntry['state'], string>

export const STATE_MEANINGS = {
  delivered: 'fetched after completion',
  missing: 'its content was never fetched after completion',
  late: 'first fetched after date_to_send_to_client',
  twice: 'fetched again although it had not changed',
  unfinished: 'fetched before it was ever seen completed',
  stale: 'not fetched again after it was regenerated',
  unsettled: 'not fetched before a reset ended the session',
} as const satisfies Record<LedgerEntry['state'], string>

/** Lists the reports that were neither delivered nor unsettled, by session, project and number. */
export function exceptionsOf({ ledger }: Pick<Review, 'ledger'>): LedgerEntry[] {
  return sortLedger(ledger.filter(({ state }) => state !== 'delivered' && state !== 'unsettled'))
}

export function sortLedger(ledger: readonly LedgerEntry[]): LedgerEntry[] {
  return ledger.toSorted(
    (one, other) =>
      one.session - other.session ||
      one.project - other.project ||
      one.report_number - other.report_number ||
      one.report_id - other.report_id,
  )
}

/** Summarizes the ledger: `10 delivered, 2 never fetched, 1 late`. */
export function summarizeLedger({ ledger }: Pick<Review, 'ledger'>): string {
  const labels = ledger.map(({ state }) => STATE_LABELS[state])
  return countEach(labels, { order: Object.values(STATE_LABELS), usual: 'delivered' })
}

/** Returns `project 101`, or `session 2, project 101` in a review of several sessions. */
export function placeOf({ session, project }: LedgerEntry, { sessions }: SessionCount): string {
  return `${sessions > 1 ? `session ${session}, ` : ''}project ${project}`
}

/** Describes an entry: `project 101, report 4, completed 2026-03-04 12:00:00, never fetched`. */
export function describeDelivery(entry: LedgerEntry, review: SessionCount): string {
  const { report_number, finished_at, first_fetched_at, fetches } = entry
  return [
    `${placeOf(entry, review)}, report ${report_number}`,
    ...(finished_at === null ? [] : [`completed ${showTime(finished_at)}`]),
    first_fetched_at === null
      ? 'never fetched'
      : `first fetched ${showTime(first_fetched_at)}, ${plural(fetches, 'time')} in all`,
  ].join(', ')
}

/** Introduces the command that reproduces the saved session, which is always the last session of the review. */
function phraseFor({ sessions }: SessionCount): string {
  return `Reproduce ${sessions > 1 ? `session ${sessions}` : 'it'} with`
}

export function firstReproductionOf(review: JudgedReview): Reproduction | undefined {
  return review.causes[0]?.finding.reproduce
}

/** Returns a complete command or call that reproduces the first finding; empty without findings. */
function rehearseAgain(
  review: RehearsedReview,
  repeatCommand: string | undefined,
): [phrase: string, call: string][] {
  const first = firstReproductionOf(review)
  if (!first) return []
  const phrase = 'Reproduce a finding with'
  if (repeatCommand !== undefined) return [[phrase, withoutControls(repeatCommand)]]
  const { profile, every, for: length, runs } = review.plan
  const { until, ...start } = first
  // Requirements are judged only in a rehearsal with all runs, so `until` is omitted if it is the last run.
  const end = until < runs.length ? { until } : {}
  const { what, by } = review.expect
  const expect = by === 'option' ? { expect: what } : {}
  const options = { profile, every, for: length, ...expect, ...start, ...end }
  return [[phrase, `rehearse(client, { ${toObjectFields(options)} })`]]
}

/**
 * Returns the options that reproduce a finding, as flags or as fields, in addition to those of the rehearsal; empty
 * outside a rehearsal.
 */
export function reproductionOf({ reproduce }: Finding, review: JudgedReview): string[] {
  if (!reproduce) return []
  const { seed, start, until } = reproduce
  const options = isOfCommand(review)
    ? `--seed ${quoted(seed)} --start ${start} --until ${until}`
    : `{ ${toObjectFields(reproduce)} }`
  return [withoutControls(`Reproduce with ${options}`)]
}

/**
 * Returns a line with the number of findings that a report omits and, in a rehearsal, the values of `until` that
 * reproduce them; empty if none is omitted.
 */
export function moreFindings({ findings }: ShownCause, review: JudgedReview): string[] {
  const left = findings.slice(SHOWN.findings)
  const ends = new Set(left.flatMap(({ reproduce }) => reproduce?.until ?? []))
  const name = isOfCommand(review) ? '--until' : 'until'
  const repeat = ends.size === 0 ? '' : `: ${name} ${[...ends].join(', ')}`
  return restLine(left.length).map((line) => `${line}${repeat}`)
}

/** True for a rehearsal of a command: only its runs have exit codes. */
function isOfCommand({ runs = [] }: JudgedReview): boolean {
  return runs[0]?.exit !== undefined
}

/** Formats options as the fields of an object literal: `seed: '1', until: 38`. */
function toObjectFields(options: Readonly<Record<string, string | number>>): string {
  const fields = Object.entries(options).map(([name, value]) =>
    typeof value === 'number' ? `${name}: ${value}` : `${name}: '${value}'`,
  )
  return fields.join(', ')
}

function reproduction(session: string): string {
  return `npx seo-sandbox review ${quoted(withoutControls(session))}`
}

function quoted(word: string): string {
  return /^[\w./\\:@%+=,~-]+$/.test(word) ? word : `"${word}"`
}

export function firstLines(lines: readonly string[], shown: number): string[] {
  return [...lines.slice(0, shown), ...restLine(lines.length - shown)]
}

export function restLine(rest: number): string[] {
  return rest > 0 ? [`and ${rest} more`] : []
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
