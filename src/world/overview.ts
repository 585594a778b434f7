import { z } from 'zod'
import { DateTime, Id } from '../contract/conventions.ts'
import { ReportWait } from '../contract/explanation.ts'
import { LATEST_MS, toDateTime, formatMonth, parseMonth } from '../contract/time.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import { ProjectRecord } from '../contract/project.ts'
import type { RecordReader } from '../contract/records.ts'
import { ReportNumber, ReportRecord } from '../contract/report.ts'
import { calendarMonth, monthEdges } from '../engine/calendar-month.ts'
import { isOverdue, waitOf } from '../engine/report-wait.ts'
import { selectLatest } from '../engine/selection.ts'
import { Positions } from './keyword-positions.ts'
import type { PositionSource } from './keyword-positions.ts'

/** Maximum number of projects read, the first of the agency by id. */
const MAXIMUM_PROJECTS = 200
/** Maximum number of active keywords whose positions are read, in the order of their projects. */
const MAXIMUM_KEYWORDS = 20_000
const LISTED_CHANGES = 10
/** Number of months with positions: the latest one and the twelve before it. */
const MONTHS = 13
const LAST_OF_FIRST_PAGE = 10

/** State of a project. If the project is active and has reports, the state depends on its latest report. */
const HEALTH = ['on_track', 'late', 'failed', 'inactive', 'no_reports'] as const
type Health = (typeof HEALTH)[number]

/** Stage of an active project's latest report; `not_due` if there is none, or if it is neither late, failed nor due this month. */
const STAGES = [
  'pending',
  'running',
  'late',
  'failed',
  'completed',
  'approved',
  'sent',
  'not_due',
] as const
type Stage = (typeof STAGES)[number]

const EVENTS = [
  'created',
  'regenerated',
  'started',
  'failed',
  'retried',
  'completed',
  'approved',
  'sent',
] as const
type ReportEvent = (typeof EVENTS)[number]

const count = z.int().nonnegative()
const { date_to_create_texts, status } = ReportRecord.shape

/** The projects and reports of an agency, and the next changes. */
export const Overview = z.strictObject({
  agency: Id.describe('The id of the agency'),
  month: z.string().describe('The current calendar month, like `2026-03`'),
  total: count.describe('Number of projects of the agency'),
  projects: z
    .array(
      z.strictObject({
        id: Id,
        name: ProjectRecord.shape.name,
        health: z
          .enum(HEALTH)
          .describe(
            'State of the project by its latest report: `late` if that is pending or running a day after its date, `failed` if it has failed. `inactive` if the status of the project is not `active`',
          ),
        latest: z
          .strictObject({
            report_number: ReportNumber,
            status,
            date_to_create_texts,
            wait: ReportWait.nullable().describe(
              'The reason that it is overdue; null if it is not, or the project is not active',
            ),
          })
          .nullable()
          .describe('The report that `/reports/latest` returns; null for a 404'),
      }),
    )
    .describe(
      `The first ${MAXIMUM_PROJECTS} projects of the agency; everything below is about these`,
    ),
  reports: z
    .strictObject(Object.fromEntries(STAGES.map((stage) => [stage, count])) as Counts)
    .describe(
      'Number of active projects, by the state of the report that `/reports/latest` returns; a completed report that is approved or sent counts as approved or sent. `late` and `failed` as in `health`, whenever the report is due; `not_due` if none is due this month',
    ),
  positions: z
    .strictObject({
      months: z.array(z.string()).describe(`The last ${MONTHS} months, the earliest first`),
      keywords: z
        .array(count)
        .describe('Number of active keywords with a known position, by month'),
      first_page: z
        .array(count)
        .describe('Number of those keywords among the first ten results, by month'),
    })
    .describe('Positions of keywords by month'),
  changes: z
    .array(
      z.strictObject({
        at: DateTime.describe('The first millisecond of the change, on the world clock'),
        project: Id,
        report_number: ReportNumber,
        event: z.enum(EVENTS).describe('The change of the report'),
      }),
    )
    .describe(`The next ${LISTED_CHANGES} changes of reports by time alone, in order`),
  next_month: z
    .strictObject({
      at: DateTime,
      projects: count.describe(
        'Number of projects whose `/reports/latest` changes to another report then',
      ),
      lost: count.describe('Number of projects whose `/reports/latest` becomes a 404 then'),
    })
    .nullable()
    .describe('End of the calendar month; null for the last possible month'),
  next: z
    .strictObject({
      at: DateTime,
      project: Id.describe('The first project by id'),
      report_number: ReportNumber.nullable().describe('Null if `/reports/latest` becomes a 404'),
      event: z
        .enum(['latest', 'completed', 'regenerated'])
        .describe('The report becomes the latest, gets its content, or loses it'),
      projects: count.describe('Number of projects with such a change at that moment'),
    })
    .nullable()
    .describe(
      'The next moment at which time alone changes `/reports/latest` or the content of a report; null if none is known',
    ),
})
export interface Overview extends z.infer<typeof Overview> {}

type Counts = Record<Stage, typeof count>

interface OverviewInput {
  agency: number
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  source: PositionSource
  policy: ReadPolicy
}

export function overviewOf({ agency, nowMs, source, policy }: OverviewInput): Overview {
  const records: RecordReader = source.records.indexes
  const all = records.projectsOf({ agency, status: undefined })
  const projectsRead = all.slice(0, MAXIMUM_PROJECTS)
  const zone = policy('month-time-zone')
  const month = calendarMonth(nowMs, zone)
  const [endMs] = monthEdges(new Set([month]), zone, { afterMs: nowMs, beforeMs: LATEST_MS })
  const latestAt = (project: number, ms: number) =>
    selectLatest(records.reportsOf(project, ms), ms, policy).selected
  const changedAtMonthEnd: number[] = []
  const projects: Overview['projects'] = []
  const reports = Object.fromEntries(STAGES.map((stage) => [stage, 0])) as Record<Stage, number>
  const shares = new FirstPageShares(source)
  const moments: Moment[] = []
  for (const project of projectsRead) {
    const projectReports = records.reportsOf(project.id)
    const { selected } = selectLatest(projectReports, nowMs, policy)
    const health = healthOf(project, projectReports, selected, nowMs)
    projects.push(toProject(project, health, selected, { records, nowMs }))
    if (health !== 'inactive') reports[stageOf(health, selected, month)] += 1
    shares.add(records.keywordsOf(project.id))
    for (const moment of momentsAhead(records, project.id, nowMs)) moments.push(moment)
    if (
      endMs !== undefined &&
      latestAt(project.id, endMs - 1)?.id !== latestAt(project.id, endMs)?.id
    )
      changedAtMonthEnd.push(project.id)
  }
  const positions = shares.read()
  const changes = nextChanges(records, moments)
  const monthEndMoments =
    endMs === undefined ? [] : changedAtMonthEnd.map((project) => ({ ms: endMs, project }))
  const lost = monthEndMoments.filter(({ ms, project }) => !latestAt(project, ms)).length
  const next_month =
    endMs === undefined
      ? null
      : { at: toDateTime(endMs), projects: changedAtMonthEnd.length - lost, lost }
  const next = nextForClients([...moments, ...monthEndMoments], records, latestAt)
  return {
    agency,
    month,
    total: all.length,
    projects,
    reports,
    positions,
    changes,
    next_month,
    next,
  }
}

function toProject(
  { id, name }: ProjectRecord,
  health: Health,
  selected: ReportRecord | undefined,
  { records, nowMs }: Pick<OverviewInput, 'nowMs'> & { records: RecordReader },
): Overview['projects'][number] {
  if (!selected) return { id, name, health, latest: null }
  const { report_number, status: state, date_to_create_texts: due } = selected
  return {
    id,
    name,
    health,
    latest: {
      report_number,
      status: state,
      date_to_create_texts: due,
      wait: waitOf(selected, records, nowMs),
    },
  }
}

function healthOf(
  { status: ofProject }: ProjectRecord,
  reports: readonly ReportRecord[],
  latest: ReportRecord | undefined,
  nowMs: number,
): Health {
  if (ofProject !== 'active') return 'inactive'
  if (reports.length === 0) return 'no_reports'
  if (latest?.status === 'failed') return 'failed'
  return latest && isOverdue(latest, nowMs) ? 'late' : 'on_track'
}

function stageOf(health: Health, latest: ReportRecord | undefined, month: string): Stage {
  if (health === 'late' || health === 'failed') return health
  if (latest?.date_to_create_texts?.slice(0, 7) !== month) return 'not_due'
  if (latest.status !== 'completed') return latest.status
  if (latest.sent) return 'sent'
  return latest.approved_status === 'approved' ? 'approved' : 'completed'
}

/** Numbers of active keywords with a known position, and of those on the first page of results, by month. */
class FirstPageShares {
  readonly #positions: Positions
  readonly #months: readonly number[]
  readonly #keywords = Array.from({ length: MONTHS }, () => 0)
  readonly #firstPage = Array.from({ length: MONTHS }, () => 0)
  #room = MAXIMUM_KEYWORDS

  constructor(source: PositionSource) {
    this.#positions = new Positions(source)
    const first = this.#positions.latestMonth - MONTHS + 1
    this.#months = Array.from({ length: MONTHS }, (_, index) => first + index)
  }

  add(keywords: ReturnType<RecordReader['keywordsOf']>): void {
    const active = keywords.filter((keyword) => keyword.active).slice(0, this.#room)
    this.#room -= active.length
    for (const keyword of active) {
      for (const [index, month] of this.#months.entries()) {
        const position = this.#positions.of(keyword, month)
        if (position === undefined) continue
        // A keyword that was created in `month` or later was not tracked yet.
        if (position === null && parseMonth(keyword.create_date) >= month) continue
        this.#keywords[index]! += 1
        if (position !== null && position <= LAST_OF_FIRST_PAGE) this.#firstPage[index]! += 1
      }
    }
  }

  read(): Overview['positions'] {
    return {
      months: this.#months.map((month) => formatMonth(Math.max(month, 0))),
      keywords: this.#keywords,
      first_page: this.#firstPage,
    }
  }
}

interface Moment {
  ms: number
  project: number
}

/** Returns the future moments at which reports of a project change without a command. */
function momentsAhead(records: RecordReader, project: number, nowMs: number): Moment[] {
  const ahead = records.reportMomentsOf(project).filter((ms) => ms > nowMs && ms <= LATEST_MS)
  return [...new Set(ahead)].map((ms) => ({ ms, project }))
}

/**
 * Returns the first moment at which clients see a different latest report, or at which a report gains or loses its content; null
 * if there is none.
 */
function nextForClients(
  moments: readonly Moment[],
  records: RecordReader,
  latestAt: (project: number, ms: number) => ReportRecord | undefined,
): Overview['next'] {
  let next: Overview['next'] = null
  const changed = new Set<number>()
  for (const { ms, project } of inOrder(moments)) {
    const at = toDateTime(ms)
    if (next && next.at !== at) return next
    const change = changeForClients(
      records.reportsOf(project, ms - 1),
      records.reportsOf(project, ms),
    )
    const latest = latestAt(project, ms)
    const isOtherLatest = latest?.id !== latestAt(project, ms - 1)?.id
    if (!change && !isOtherLatest) continue
    const { event, report_number } = change ?? {
      event: 'latest' as const,
      report_number: latest?.report_number ?? null,
    }
    changed.add(project)
    next = { ...(next ?? { at, project, report_number, event }), projects: changed.size }
  }
  return next
}

/**
 * Returns the first completion of a report; if there is none, the first regeneration, by which a report loses its content;
 * undefined if there is neither.
 */
function changeForClients(before: readonly ReportRecord[], reports: readonly ReportRecord[]) {
  const changes = reports.flatMap((report) => {
    const event = eventOf(report, before)
    const { report_number } = report
    return event === 'completed' || event === 'regenerated' ? [{ event, report_number }] : []
  })
  return changes.find(({ event }) => event === 'completed') ?? changes[0]
}

function inOrder(moments: readonly Moment[]): Moment[] {
  return moments.toSorted((one, other) => one.ms - other.ms || one.project - other.project)
}

/** Returns the first changes of reports at these moments, at most `LISTED_CHANGES`, in order. */
function nextChanges(records: RecordReader, moments: readonly Moment[]): Overview['changes'] {
  const changes: Overview['changes'] = []
  for (const { ms, project } of inOrder(moments)) {
    const before = records.reportsOf(project, ms - 1)
    for (const report of records.reportsOf(project, ms)) {
      const event = eventOf(report, before)
      const { report_number } = report
      if (event) changes.push({ at: toDateTime(ms), project, report_number, event })
    }
    if (changes.length >= LISTED_CHANGES) return changes.slice(0, LISTED_CHANGES)
  }
  return changes
}

const STARTS_AND_ENDS: Partial<Record<ReportRecord['status'], ReportEvent>> = {
  running: 'started',
  failed: 'failed',
  completed: 'completed',
}

/** Returns the latest event of a report since `reports`, its project's reports at an earlier time; undefined if there was none. */
function eventOf(report: ReportRecord, reports: readonly ReportRecord[]): ReportEvent | undefined {
  const { id, report_number, status: state, approved_status, sent } = report
  const before = reports.find((one) => one.id === id)
  if (!before) {
    const isAgain = reports.some((one) => one.report_number === report_number)
    return isAgain ? 'regenerated' : 'created'
  }
  if (sent && !before.sent) return 'sent'
  if (approved_status === 'approved' && before.approved_status !== 'approved') return 'approved'
  if (state === before.status) return undefined
  return before.status === 'failed' && state === 'running' ? 'retried' : STARTS_AND_ENDS[state]
}
