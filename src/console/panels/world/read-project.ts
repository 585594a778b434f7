import { orNull } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Explanation, RecordOf } from '../../api/types.ts'

type Report = RecordOf<'reports'>

export interface ReadReport {
  report: Report
  /** As the API returns them. */
  links: Pick<Report, 'pdf_link' | 'web_link'>
  names: RecordNames
}

/** A project and one of its reports at one time. */
export interface ReadProject {
  record: RecordOf<'projects'>
  names: RecordNames
  /** How many it has. */
  keywords: number
  explanation: Explanation
  /** Undefined where it has no reports. */
  selected: ReadReport | undefined
}

/** How many changes ahead are read, to know when reports finish; a report has four of them. */
const AHEAD = 48

/** Reads all that is shown of a project, with the report of a number, or the one that is asked for most. */
export async function readProject(
  project: number,
  number: number,
  signal: AbortSignal,
): Promise<ReadProject> {
  const [explanation, head] = await Promise.all([
    api.get(`/explain/projects/${project}`, { changes: AHEAD }, signal),
    readHead(project, signal),
  ])
  const { latest, last_generated } = explanation
  const reports = latest.candidates.map(({ report }) => report)
  const chosen =
    reports.find(({ report_number }) => report_number === number) ??
    latest.selected ??
    last_generated.selected ??
    reports[0]
  return { ...head, explanation, selected: chosen && (await readReport(chosen.id, signal)) }
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

/** The fields with the id of a record that has a name, and its collection. */
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

/** Names of the records that a record refers to by id, by its field. */
export type RecordNames = Readonly<Record<string, string>>

async function namesOf(record: object, signal: AbortSignal): Promise<RecordNames> {
  const read = Object.entries(record).map(async ([field, id]) => {
    const collection = Object.hasOwn(NAMED, field) && NAMED[field as keyof typeof NAMED]
    if (!collection || typeof id !== 'number') return []
    // If it has gone since the record was read, the record is about to be read again.
    const named = await orNull(api.get(`/records/${collection}/${id}`, {}, signal))
    return named ? [[field, 'label' in named ? named.label : named.name] as const] : []
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}
