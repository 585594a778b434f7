import { monthAt, startOf } from '../../../drawing/month-scale.ts'
import { dueMs } from '../../../drawing/timeline.ts'
import type { MAXIMUM_CHANGES } from '../../../contract/limits.ts'
import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Explanation, PositionHistory, RecordOf } from '../../api/types.ts'

type Report = RecordOf<'reports'>

export interface ReadReport {
  report: Report
  /** Links as the API returns them. */
  links: Pick<Report, 'pdf_link' | 'web_link'>
  names: RecordNames
}

/** A project and one of its reports at one time. */
export interface ReadProject {
  record: RecordOf<'projects'>
  names: RecordNames
  /** Number of keywords of the project. */
  keywords: number
  /** Positions of the keywords by month, the current one last; null without keywords, or with too many to read. */
  positions: PositionHistory | null
  explanation: Explanation
  /** The project before its first report, with all changes since then and to come. */
  history: Explanation
  /** Undefined if the project has no reports. */
  selected: ReadReport | undefined
}

/** Number of changes to read: the maximum of the server, to know all responses of the endpoints. */
const CHANGES: typeof MAXIMUM_CHANGES = 500

/** Reads all shown data of a project, with the report of a number, or the most requested report. */
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
  const at = new Date(beginningOf(reports, Date.parse(now))).toISOString()
  const [history, positions, selected] = await Promise.all([
    api.get(`/explain/projects/${project}`, { at, changes: CHANGES }, signal),
    readPositions(project, { keywords: head.keywords, now }, signal),
    chosen && readReport(chosen.id, signal),
  ])
  const changes = history.changes.filter((change) => change.at > now)
  return { ...head, positions, explanation: { ...read, changes }, history, selected }
}

/** Maximum number of months whose changes are read before now: more than five years of reports. */
const MONTHS_BACK = 72

/** Returns the month of the first report, in epoch milliseconds. */
function beginningOf(
  reports: Explanation['latest']['candidates'][number]['report'][],
  nowMs: number,
): number {
  const now = monthAt(nowMs)
  const first = Math.min(now, ...reports.map((report) => monthAt(dueMs(report))))
  return startOf(Math.max(first, now - MONTHS_BACK, 12))
}

/** Maximum number of keywords whose positions are read. */
const MOST_KEYWORDS = 300

/** Reads this month and the twelve before it; null for no keywords, and for too many. */
async function readPositions(
  project: number,
  { keywords, now }: { keywords: number; now: string },
  signal: AbortSignal,
): Promise<PositionHistory | null> {
  if (keywords === 0 || keywords > MOST_KEYWORDS) return null
  const until = monthAt(Date.parse(now))
  const [first, last] = [Math.max(until - 12, 0), until].map((month) =>
    new Date(startOf(month)).toISOString().slice(0, 7),
  )
  return api.get(`/projects/${project}/positions`, { from: first, until: last }, signal)
}

async function readHead(project: number, signal: AbortSignal) {
  const [record, { total }] = await Promise.all([
    api.get(`/records/projects/${project}`, {}, signal),
    api.list('keywords', { project, limit: 1 }, signal),
  ])
  return { record, names: await namesOf(record, signal), keywords: total }
}
async function readReport(id: number, signal: AbortSignal): Promise<ReadReport> {
  const [report, links] = await Promise.all([
    api.get(`/records/reports/${id}`, {}, signal),
    api.get(`/reports/${id}/links`, {}, signal),
  ])
  return { report, links, names: await namesOf(report, signal) }
}

/** Fields with the id of a named record, each with its collection. */
const NAMED = {
  agency: 'agencies',
  country: 'countries',
  text_language: 'languages',
  report_language: 'languages',
  managing_user: 'users',
  created_by: 'users',
  approved_by: 'users',
  managed_by: 'users',
} as const

/** Names of the records to which a record refers by id, by field. */
export type RecordNames = Readonly<Record<string, string>>

async function namesOf(record: object, signal: AbortSignal): Promise<RecordNames> {
  const read = Object.entries(record).map(async ([field, id]) => {
    const collection = Object.hasOwn(NAMED, field) && NAMED[field as keyof typeof NAMED]
    if (!collection || typeof id !== 'number') return []
    // If the named record is gone by now, a change of the world is about to cause another read.
    const named = await orNull(api.get(`/records/${collection}/${id}`, {}, signal))
    return named ? [[field, 'label' in named ? named.label : named.name] as const] : []
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}
