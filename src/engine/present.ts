import { API_PREFIX, parseUrl } from '../contract/url.ts'
import type { Label } from '../contract/conventions.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { LatestReportFields, ProjectLinks, ProjectRecord } from '../contract/project.ts'
import type { RecordReader } from '../contract/records.ts'
import type { Report, ReportRecord } from '../contract/report.ts'
import type { User, UserRecord } from '../contract/reference-data.ts'
import type { OperationContext } from './messages.ts'
import { selectLatest } from './selection.ts'

export function presentUser({ id, name, role, agency }: UserRecord, records: RecordReader): User {
  const agencyRecord = agency === null ? undefined : records.get('agencies', agency)
  return {
    id,
    name,
    role,
    agency: agencyRecord ? { id: agencyRecord.id, name: agencyRecord.name } : null,
  }
}

/** Returns a user, by id, in the format of the API (specification 2.2); null if `id` is null or no user has it. */
export function presentUserOf(id: number | null, records: RecordReader): User | null {
  const user = id === null ? undefined : records.get('users', id)
  return user ? presentUser(user, records) : null
}

export function presentLabel({ id, label }: Label): Label {
  return { id, label }
}

export function presentReport(report: ReportRecord, records: RecordReader): Report {
  return {
    id: report.id,
    project_id: report.project,
    report_number: report.report_number,
    report_name: report.report_name,
    status: report.status,
    date_to_create_texts: report.date_to_create_texts,
    date_to_send_to_client: report.date_to_send_to_client,
    sent: report.sent,
    approved_status: report.approved_status,
    approved_by: presentUserOf(report.approved_by, records),
    managed_status: report.managed_status,
    managed_by: presentUserOf(report.managed_by, records),
    pdf_link: report.pdf_link,
    web_link: report.web_link,
  }
}

/** Specification 2.4: fields of the report that `/reports/latest` selects; four nulls if it selects none (trap T7). */
export function presentLatestReport(
  project: ProjectRecord,
  { records, nowMs, policy }: OperationContext,
): LatestReportFields {
  const latest = selectLatest(records.reportsOf(project.id), nowMs, policy).selected
  return {
    latest_report_generated_at: latest?.created_at ?? null,
    latest_report_id: latest?.id ?? null,
    latest_report_number: latest?.report_number ?? null,
    latest_report_status: latest?.status ?? null,
  }
}

/** Specification 2.4, 9(1): paths without scheme and host, but with the prefix `/api/v1` (trap T17). */
export function presentProjectLinks({ id }: ProjectRecord): ProjectLinks {
  const reports = `${API_PREFIX}/projects/${id}/reports`
  return { latest_report: `${reports}/latest`, last_generated_report: `${reports}/last-generated` }
}

/**
 * Returns a project's website as a URL or, if policy requires it (G-066), as a host alone; null for a project without a website.
 */
export function presentDomain({ domain }: ProjectRecord, policy: ReadPolicy): string | null {
  if (domain === null || policy('domain-form') !== 'host') return domain
  return parseUrl(domain)?.host ?? domain
}
