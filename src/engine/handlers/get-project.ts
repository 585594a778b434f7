import type { Project } from '../../contract/project.ts'
import type { OperationContext } from '../operation-context.ts'
import type { Outcome } from '../messages.ts'
import {
  presentDomain,
  presentLabel,
  presentLatestReport,
  presentProjectLinks,
  presentUserOf,
} from '../present.ts'
import { findProject } from './project.ts'

/** Specification 2.5. */
export function getProject(context: OperationContext): Outcome {
  const project = findProject(context)
  if ('problem' in project) return project
  const { records, policy, refreshedAt } = context
  const agency = records.get('agencies', project.agency)
  const labelOf = (name: 'countries' | 'languages', id: number | null) => {
    const record = id === null ? undefined : records.get(name, id)
    return record ? presentLabel(record) : null
  }
  const data: Project = {
    id: project.id,
    name: project.name,
    company_name: project.company_name,
    domain: presentDomain(project, policy),
    created_at: project.created_at,
    country: labelOf('countries', project.country),
    text_language: labelOf('languages', project.text_language),
    report_language: labelOf('languages', project.report_language),
    managing_user: presentUserOf(project.managing_user, records),
    created_by: presentUserOf(project.created_by, records),
    contact_email: project.contact_email,
    client_emails: project.client_emails,
    cc_email: agency?.report_cc_email ?? null,
    receives_monthly_reports: project.receives_monthly_reports,
    agency: agency?.name ?? null,
    plan: project.plan,
    keyword_count: records.keywordsOf(project.id).length,
    gsc_status: project.gsc_status,
    ...presentLatestReport(project, context),
    links: presentProjectLinks(project),
  }
  return { body: { data, cache_refreshed_at: refreshedAt } }
}
