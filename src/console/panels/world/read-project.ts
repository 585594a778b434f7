import { monthAt, startOf } from '../../../drawing/month-scale.ts'
import { dueMs } from '../../../drawing/timeline.ts'
import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Explanation, PositionHistory, RecordOf } from '../../api/types.ts'
import { historyQuery } from '../../parts/timeline-of.ts'

type Report = RecordOf<'reports'>

export interface ReadReport {
  report: Report
  /** Links as the API returns them, which may differ from those of `report`. */
  links: Pick<Report, 'pdf_link' | 'web_link'>
  names: RecordNames
  /**
   * Null if the positions of the project were not read, or if the report is neither completed nor due by the end of the current
   * month.
   */
  positions: ReportPositions | null
}

export interface ReportPositions {
  /**
   * Month of the previous completed report, such as `2026-03`; undefined if there is none, or if no position is known in that
   * month.
   */
  before: string | undefined
  /**
   * Positions by keyword id: `is` in the month of the report, `was` in `before`; null if unknown or if the keyword does not rank.
   */
  keywords: ReadonlyMap<number, { is: number | null; was: number | null }>
}

export interface ReadProject {
  record: RecordOf<'projects'>
  names: RecordNames
  keywords: number
  /** Positions by month, the current month last; null without keywords, or with more than `MAXIMUM_READ_KEYWORDS`. */
  positions: PositionHistory | null
  explanation: Explanation
  /** State before the first report, with all past and future changes that `historyQuery` reads. */
  history: Explanation
  /** Undefined if the project has no reports. */
  selected: ReadReport | undefined
}

/**
 * Reads the data of a project for its view. Selects the report with `number` or, if there is none, the latest, the last generated
 * or the first report, in this order.
 */
export async function readProject(
  project: number,
  number: number,
  signal: AbortSignal,
): Promise<ReadProject> {
  const [read, head] = await Promise.all([
    api.get(`/explain/projects/${project}`, { changes: 0 }, signal),
    readHead(project, signal),
  ])
  const { latest, last_generated, now } = read
  const reports = latest.candidates.map(({ report }) => report)
  const chosen =
    reports.find(({ report_number }) => report_number === number) ??
    latest.selected ??
    last_generated.selected ??
    reports[0]
  const month = monthAt(Date.parse(now))
  const [history, positions, selected] = await Promise.all([
    api.get(`/explain/projects/${project}`, historyQuery(read), signal),
    readPositions(project, { keywords: head.keywords, until: month }, signal),
    chosen && readReport(chosen.id, signal),
  ])
  const changes = history.changes.filter((change) => change.at > now)
  const explanation = { ...read, changes }
  if (!selected) return { ...head, positions, explanation, history, selected }
  const ofReport =
    positions && chosen && (chosen.status === 'completed' || monthAt(dueMs(chosen)) <= month)
      ? await readReportPositions(chosen, { positions, reports, month }, signal)
      : null
  return {
    ...head,
    positions,
    explanation,
    history,
    selected: { ...selected, positions: ofReport },
  }
}

type Summary = Explanation['latest']['candidates'][number]['report']

/** Reads the keyword positions in the month of a report, or in the last month before it with known positions. */
async function readReportPositions(
  report: Summary,
  {
    positions,
    reports,
    month: current,
  }: { positions: PositionHistory; reports: readonly Summary[]; month: number },
  signal: AbortSignal,
): Promise<ReportPositions> {
  const { project, keywords: all } = positions
  const until = Math.min(monthAt(dueMs(report)), current)
  const read =
    until === current
      ? positions
      : await readPositions(project, { keywords: all.length, until }, signal)
  const { months, keywords } = read ?? positions
  // In a world whose positions do not change with time, the last known month may precede the month of the report.
  const month = months.findLastIndex((_, index) =>
    keywords.some((each) => each.positions[index] !== null),
  )
  const completed = reports
    .filter(({ status }) => status === 'completed')
    .map((other) => months.indexOf(toMonthName(monthAt(dueMs(other)))))
  const before = Math.max(...completed.filter((index) => index < month))
  return {
    before: keywords.some((each) => (each.positions[before] ?? null) !== null)
      ? months[before]
      : undefined,
    keywords: new Map(
      keywords.map((each) => [
        each.id,
        { is: each.positions[month] ?? null, was: each.positions[before] ?? null },
      ]),
    ),
  }
}

/** Formats a month, numbered as in `monthAt`: `2026-03`. */
function toMonthName(month: number): string {
  return new Date(startOf(month)).toISOString().slice(0, 7)
}

const MAXIMUM_READ_KEYWORDS = 300

/**
 * Reads the keyword positions in the month `until`, numbered as in `monthAt`, and in the twelve months before it. Null without
 * keywords, or with more than `MAXIMUM_READ_KEYWORDS`.
 */
async function readPositions(
  project: number,
  { keywords, until }: { keywords: number; until: number },
  signal: AbortSignal,
): Promise<PositionHistory | null> {
  if (keywords === 0 || keywords > MAXIMUM_READ_KEYWORDS) return null
  const months = { from: toMonthName(Math.max(until - 12, 0)), until: toMonthName(until) }
  return api.get(`/projects/${project}/positions`, months, signal)
}

async function readHead(project: number, signal: AbortSignal) {
  const [record, { total }] = await Promise.all([
    api.get(`/records/projects/${project}`, {}, signal),
    api.list('keywords', { project, limit: 1 }, signal),
  ])
  return { record, names: await namesOf(record, signal), keywords: total }
}

async function readReport(id: number, signal: AbortSignal): Promise<Omit<ReadReport, 'positions'>> {
  const [report, links] = await Promise.all([
    api.get(`/records/reports/${id}`, {}, signal),
    api.get(`/reports/${id}/links`, {}, signal),
  ])
  return { report, links, names: await namesOf(report, signal) }
}

/** Collections of referenced records, by the name of the field that refers to them by id. */
const REFERENCED_COLLECTIONS = {
  agency: 'agencies',
  country: 'countries',
  text_language: 'languages',
  report_language: 'languages',
  managing_user: 'users',
  created_by: 'users',
  approved_by: 'users',
  managed_by: 'users',
} as const

/** Names of referenced records, by the name of the field that refers to them by id. */
export type RecordNames = Readonly<Record<string, string>>

async function namesOf(record: object, signal: AbortSignal): Promise<RecordNames> {
  const read = Object.entries(record).map(async ([field, id]) => {
    const collection =
      Object.hasOwn(REFERENCED_COLLECTIONS, field) &&
      REFERENCED_COLLECTIONS[field as keyof typeof REFERENCED_COLLECTIONS]
    if (!collection || typeof id !== 'number') return []
    // The record may have been deleted meanwhile, a change of the world that causes another read.
    const named = await orNull(api.get(`/records/${collection}/${id}`, {}, signal))
    return named ? [[field, 'label' in named ? named.label : named.name] as const] : []
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}
