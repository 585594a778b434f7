import { withoutControls } from '../../contract/text.ts'
import { DAY_MS } from '../../contract/time.ts'
import type { CalendarCell, CalendarRow } from '../../drawing/calendar.ts'
import { MONTH_NAMES } from '../../drawing/month-scale.ts'
import type { JudgedReview } from '../judge.ts'
import type { Plan, Rehearsed, RehearsedRun } from '../review.ts'
import { isDelivered } from '../verdict.ts'

export type RehearsedReview = JudgedReview & Rehearsed

export function isRehearsed(review: JudgedReview): review is RehearsedReview {
  return review.runs !== undefined
}

/** Summarizes a rehearsal: `365 runs, 12 months, 3,001 requests: passed; 76 of 76 delivered, at most 1 day late`. */
export function summarizeRehearsal(review: RehearsedReview): string {
  const { runs, requests, ledger } = review
  const delivered = ledger.filter(isDelivered).length
  const counts = [plural(runs.length, 'run'), ...spanOf(runs), plural(requests, 'request')]
  const late = delivered === 0 ? '' : `, ${describeDelays(review)}`
  return `${counts.join(', ')}: ${describeVerdict(review)}; ${delivered} of ${ledger.length} delivered${late}`
}

/**
 * Describes the expected reports:
 * `Expected: only new reports, because run 1 looked and fetched none of the 440 that were complete before run 1. For
 * all: --expect all`
 */
export function describeExpected({ expect, runs }: Rehearsed): string {
  const { what, by, known } = expect
  const other = what === 'all' ? 'new' : 'all'
  const option = runs[0]?.exit === undefined ? `expect: '${other}'` : `--expect ${other}`
  const before = `${known.toLocaleString('en')} that ${known === 1 ? 'was' : 'were'} complete before run 1`
  const is =
    what === 'all'
      ? `all reports, with the ${before}`
      : by === 'option'
        ? `new reports, without the ${before}`
        : `only new reports, because run 1 looked and fetched none of the ${before}`
  return `Expected: ${is}. For ${other === 'all' ? 'all' : 'only new ones'}: ${option}`
}

const VERDICTS: Record<JudgedReview['verdict'], string> = {
  passed: 'passed',
  failed: 'failed',
  'nothing-read': 'nothing was read',
  'nothing-asked': 'nothing was asked',
}

export function describeVerdict({ verdict, stopped }: JudgedReview): string {
  return stopped ? 'stopped' : VERDICTS[verdict]
}

function spanOf(runs: readonly RehearsedRun[]): string[] {
  const [first, last] = [runs.at(0), runs.at(-1)]
  if (!first || !last) return []
  // The interval after the last run is part of the rehearsal.
  const share = runs.length > 1 ? runs.length / (runs.length - 1) : 1
  const days = Math.round(((Date.parse(last.at) - Date.parse(first.at)) * share) / DAY_MS)
  const months = Math.round(days / (365.25 / 12))
  return days === 0 ? [] : [days < 60 ? plural(days, 'day') : plural(months, 'month')]
}

function describeDelays({ delays, plan }: Rehearsed): string {
  if (delays.length === 0) return 'none late'
  const runs = delays.reduce((most, delay) => Math.max(most, delay.runs), 0)
  return `at most ${plan.every === 'P1D' ? plural(runs, 'day') : plural(runs, 'run')} late`
}

/** `silent`: the run never ended, or ended as if everything was done although data was missing. */
type RunState = 'done' | 'failed' | 'silent'

function runStateOf({ ended, findings }: RehearsedRun): RunState {
  if (ended === 'timeout' || findings.includes('silent-failure')) return 'silent'
  return ended
}

const MARKS: Record<RehearsedRun['kind'], Record<RunState, string>> = {
  calm: { done: '.', failed: 'f', silent: 'S' },
  fault: { done: '-', failed: 'x', silent: 'S' },
  outage: { done: '=', failed: 'X', silent: 'S' },
}

export const CALENDAR_LEGEND = [
  'done: . on a calm run, - with faults, = in an outage',
  'failed: f on a calm run, x with faults, X in an outage',
  'S ended as if everything was done, or never ended',
]

/** Draws one line per month, with a character for each run. */
export function calendarLines(review: RehearsedReview): string[] {
  return byMonth(review).map(
    ({ month, runs }) => `${month} ${runs.map((run) => MARKS[run.kind][runStateOf(run)]).join('')}`,
  )
}

const FILLS = { calm: 'whole', fault: 'hole', outage: 'outline' } as const
const TONES = { done: 'passed', failed: 'warning', silent: 'failed' } as const

export function calendarRows(review: RehearsedReview): CalendarRow[] {
  return byMonth(review).map(({ month, runs }) => ({
    label: month,
    cells: runs.map((run): CalendarCell => ({
      tone: TONES[runStateOf(run)],
      fill: FILLS[run.kind],
      title: describeRun(run),
    })),
  }))
}

function describeRun({ number, at, ended, events, message, findings }: RehearsedRun): string {
  const facts = [...events, ...(message === undefined ? [] : [message]), ...findings]
  return withoutControls(`Run ${number}, ${dayOf(at)}: ${[ended, ...facts].join('; ')}`)
}

function byMonth({ runs }: Rehearsed): { month: string; runs: RehearsedRun[] }[] {
  const months = new Map<string, RehearsedRun[]>()
  for (const run of runs) {
    const month = run.at.slice(0, 7)
    months.set(month, [...(months.get(month) ?? []), run])
  }
  return Array.from(months, ([month, own]) => ({ month, runs: own }))
}

/** Formats the day of an ISO 8601 time: `12 Feb`. */
export function dayOf(at: string): string {
  return `${Number(at.slice(8, 10))} ${MONTH_NAMES[Number(at.slice(5, 7)) - 1]}`
}

/** Describes a run and its disturbance: `Run 43, 12 Feb (/users 503 for the whole run)`. */
export function describeDay({ number, at, trouble }: RehearsedRun): string {
  return `Run ${number}, ${dayOf(at)}${trouble === null ? '' : ` (${trouble})`}`
}

/**
 * Lists the runs that show a mistake, if there are several: `On 3 days: 12 Feb, 13 Feb, 1 Mar.` Otherwise returns no
 * line.
 */
export function describeRuns(numbers: readonly number[], { runs, plan }: Rehearsed): string[] {
  if (numbers.length < 2) return []
  const days = numbers.flatMap((number) => {
    const run = runs.find((one) => one.number === number)
    return run ? [dayOf(run.at)] : []
  })
  const shown = days.slice(0, MOST_DAYS)
  const rest = days.length - shown.length
  const more = rest > 0 ? `, and ${rest} more` : ''
  const noun = plan.every === 'P1D' ? 'On' : 'In'
  return [`${noun} ${days.length} ${noun === 'On' ? 'days' : 'runs'}: ${shown.join(', ')}${more}.`]
}

const MOST_DAYS = 10

/**
 * Lists the situations that were not rehearsed, one line per reason; empty if the rehearsal was stopped, or shortened
 * by `until`.
 */
export function describeNotRehearsed({ lacks, plan, runs }: Rehearsed): string[] {
  return runs.length < plan.runs.length ? [] : listNotRehearsed(lacks)
}

export function listNotRehearsed(lacks: Plan['lacks']): string[] {
  const byReason = new Map<string, string[]>()
  for (const { event, reason } of lacks)
    byReason.set(reason, [...(byReason.get(reason) ?? []), event])
  return Array.from(
    byReason,
    ([reason, events]) => `Not rehearsed: ${events.join('; ')}. ${reason}`,
  )
}

const WINDOWS = [
  ['per_hour', 'an hour'],
  ['per_minute', 'a minute'],
] as const

/**
 * Describes the room for projects: `A run made at most 412 requests for 40 projects: at 1,000 an hour there is room for
 * about 97.` Undefined without a budget.
 */
export function describeBudget({ budget }: Pick<Rehearsed, 'budget'>): string | undefined {
  if (!budget) return undefined
  const { requests, projects, limits, fits } = budget
  const rooms = WINDOWS.flatMap(([window, name]) => {
    const most = fits[window]
    return most === null ? [] : [{ at: `at ${limits[window].toLocaleString('en')} ${name}`, most }]
  })
  const [first, ...others] = rooms.map(({ at, most }, index) => {
    const about = `for about ${most.toLocaleString('en')}`
    return index === 0 ? `${at} there is room ${about}` : `${at} ${about}`
  })
  const made = `A run made at most ${plural(requests, 'request')} for ${plural(projects, 'project')}`
  return `${made}: ${[first, ...others].join(', ')}.`
}

function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
