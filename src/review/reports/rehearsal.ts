import { upperFirst, withoutControls } from '../../contract/describe.ts'
import { DAY_MS } from '../../contract/moments.ts'
import type { CalendarCell, CalendarRow } from '../../drawing/calendar.ts'
import { MONTH_NAMES } from '../../drawing/month-scale.ts'
import type { JudgedReview } from '../judge.ts'
import type { Budget, Rehearsed, RehearsedRun } from '../rehearsal.ts'
import { isDelivered } from '../verdict.ts'

/** A review of all runs of a rehearsal. */
export type RehearsedReview = JudgedReview & Rehearsed

export function isRehearsed(review: JudgedReview): review is RehearsedReview {
  return review.runs !== undefined
}

/** `365 runs, 12 months, 3,001 requests: passed; 76 of 76 delivered, at most 1 day late`. */
export function summarizeRehearsal(review: RehearsedReview): string {
  const { runs, requests, ledger } = review
  const delivered = ledger.filter(isDelivered).length
  const counts = [plural(runs.length, 'run'), ...spanOf(runs), plural(requests, 'request')]
  const late = delivered === 0 ? '' : `, ${describeDelays(review)}`
  return `${counts.join(', ')}: ${describeVerdict(review)}; ${delivered} of ${ledger.length} delivered${late}`
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

/** How long the runs went on. */
function spanOf(runs: readonly RehearsedRun[]): string[] {
  const [first, last] = [runs.at(0), runs.at(-1)]
  if (!first || !last) return []
  // The last run counts as long as each of the others.
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

/** How a run went: `silent` where it ended as if everything was done though it was not, or never ended. */
type Outcome = 'done' | 'failed' | 'silent'

function outcomeOf({ ended, findings }: RehearsedRun): Outcome {
  if (ended === 'timeout' || findings.includes('silent-failure')) return 'silent'
  return ended
}

const MARKS: Record<RehearsedRun['kind'], Record<Outcome, string>> = {
  calm: { done: '.', failed: 'f', silent: 'S' },
  fault: { done: '-', failed: 'x', silent: 'S' },
  outage: { done: '=', failed: 'X', silent: 'S' },
}

export const CALENDAR_LEGEND = [
  'done: . on a calm run, - with faults, = in an outage',
  'failed: f on a calm run, x with faults, X in an outage',
  'S ended as if everything was done, or never ended',
]

/** A line for each month, with a character for each run. */
export function calendarLines(review: RehearsedReview): string[] {
  return byMonth(review).map(
    ({ month, runs }) => `${month} ${runs.map((run) => MARKS[run.kind][outcomeOf(run)]).join('')}`,
  )
}

const FILLS = { calm: 'whole', fault: 'hole', outage: 'outline' } as const
const TONES = { done: 'passed', failed: 'warning', silent: 'failed' } as const

/** The same for a drawing. */
export function calendarRows(review: RehearsedReview): CalendarRow[] {
  return byMonth(review).map(({ month, runs }) => ({
    label: month,
    cells: runs.map((run): CalendarCell => ({
      tone: TONES[outcomeOf(run)],
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

/** `12 Feb`: a day of the plan. */
export function dayOf(at: string): string {
  return `${Number(at.slice(8, 10))} ${MONTH_NAMES[Number(at.slice(5, 7)) - 1]}`
}

/** `Run 43, 12 Feb (/users 503 for the whole run)`: a run, and what was in the way of the client. */
export function describeDay({ number, at, trouble, flaky }: RehearsedRun): string {
  const facts = [...(trouble === null ? [] : [trouble]), ...(flaky ? ['flaky'] : [])]
  return `Run ${number}, ${dayOf(at)}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`
}

/** `On 14 days: 12 Feb, 13 Feb, 1 Mar, and 11 more.`: the runs in which a check found something, where there were several. */
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

/** What this world did not allow a plan to have; empty where runs were left out. */
export function describeLacks({ plan, runs }: Rehearsed): string[] {
  if (runs.length < plan.runs.length) return []
  return plan.lacks.map(({ event, reason }) => `Not rehearsed: ${event}. ${reason}`)
}

/** How many requests a sync takes, and how many projects the limits are enough for, a sentence or two each. */
export function describeBudget({ budget }: Pick<Rehearsed, 'budget'>): string[] {
  if (!budget) return []
  const { typical, heaviest } = budget
  const enough = sayEnough(typical.fits, budget, { verb: 'is', showsLimits: true })
  const isSame =
    typical.fits.per_minute === heaviest.fits.per_minute &&
    typical.fits.per_hour === heaviest.fits.per_hour
  return [
    describeRange(budget),
    ...(enough === undefined ? describeNoGrowth(budget) : [`${upperFirst(enough)}.`]),
    ...(enough === undefined ? [] : describeSaving(budget)),
    ...(isSame ? [] : describeHeaviest(budget)),
    ...(enough !== undefined && budget.is_assumed
      ? [
          `All of these runs had about ${countProjects(budget)}, so it is an assumption that each further one takes as many requests.`,
        ]
      : []),
  ]
}

function describeNoGrowth({ limits, heaviest: { fits } }: Budget): string[] {
  if (limits.per_minute === 'unlimited' && limits.per_hour === 'unlimited') return []
  const grows = fits.per_minute !== null || fits.per_hour !== null
  return [`${grows ? 'Most syncs' : 'It'} would take as many with more projects.`]
}

function describeRange(budget: Budget): string {
  const { requests, projects } = budget
  const spans = [...rangeOf(requests, 'request'), ...rangeOf(projects, 'project')]
  const range = spans.length === 0 ? '' : ` (${spans.join(', ')})`
  return `A sync took ${plural(requests.median, 'request')} with ${countProjects(budget)}${range}.`
}

function rangeOf({ lowest, highest }: Budget['requests'], noun: string): string[] {
  if (lowest === highest) return []
  return [`${lowest.toLocaleString('en')} to ${plural(highest, noun)}`]
}

function countProjects({ counted, projects }: Budget): string {
  return plural(projects.median, counted === 'active' ? 'active project' : 'project')
}

const WINDOWS = [
  ['per_hour', 'an hour'],
  ['per_minute', 'a minute'],
] as const

/**
 * `an hour (1,000 requests) is enough for about 470 projects, a minute (60) for about 27`; undefined where no number of
 * projects is too much for a limit.
 */
function sayEnough(
  fits: Budget['typical']['fits'],
  { limits, is_exact: isExact }: Budget,
  { verb, showsLimits }: { verb: 'is' | 'would be'; showsLimits: boolean },
): string | undefined {
  const windows = WINDOWS.flatMap(([window, name]) => {
    const [most, limit] = [fits[window], limits[window]]
    if (most === null || limit === 'unlimited') return []
    return [{ name, most, limit: limit.toLocaleString('en') }]
  })
  const [first, second] = windows
  if (!first) return undefined
  const own = `${first.name}${showsLimits ? ` (${first.limit} requests)` : ''}`
  if (first.most === 0) return `${own} ${verb.replace(/^\w+/, '$& not')} enough for one project`
  const start = `${own} ${verb} enough for ${estimate(first.most, isExact)} ${first.most === 1 ? 'project' : 'projects'}`
  if (!second) return start
  const other = `${second.name}${showsLimits ? ` (${second.limit})` : ''}`
  return `${start}, ${other} for ${second.most === 0 ? 'none' : estimate(second.most, isExact)}`
}

/** What is not exact has two digits, rounded down. */
function estimate(most: number, isExact: boolean): string {
  if (isExact) return most.toLocaleString('en')
  const unit = 10 ** Math.max(0, String(most).length - 2)
  return `about ${(Math.floor(most / unit) * unit).toLocaleString('en')}`
}

function describeHeaviest(budget: Budget): string[] {
  const { requests, projects, reports, fits } = budget.heaviest
  const enough = sayEnough(fits, budget, { verb: 'would be', showsLimits: false })
  if (enough === undefined) return []
  const read = reports === 0 ? '' : ` and ${plural(reports, 'report')} to read`
  const took = `${plural(requests, 'request')} with ${plural(projects, 'project')}${read}`
  return [
    `The heaviest sync for its number of projects took ${took}. If all were like it, ${enough}.`,
  ]
}

/** What takes most, and what would take less. */
function describeSaving(budget: Budget): string[] {
  const { saving, parts } = budget
  const most = parts.find((part) =>
    saving
      ? part.endpoint === saving.endpoint
      : part.per_project + part.per_page + part.per_report > 0,
  )
  if (!most) return []
  const share = `${most.endpoint} took ${Math.round(most.share * 100)}% of the requests.`
  if (!saving)
    return [
      `${share} For more projects, spread a sync over several hours, or ask the operator of the API for a higher limit.`,
    ]
  const enough = sayEnough(saving.fits, budget, { verb: 'would be', showsLimits: false })
  const gain = enough === undefined ? 'more projects would take no more requests' : enough
  return [`${share} ${saving.instead} Then ${gain}.`]
}

function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
