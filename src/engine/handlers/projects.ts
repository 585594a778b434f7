import type { ProjectPage } from '../../contract/operations.ts'
import type { PolicyValue, ReadPolicy } from '../../contract/policies.ts'
import type { ProjectListItem, ProjectRecord, Project } from '../../contract/project.ts'
import type { RecordReader } from '../../contract/records.ts'
import { refuse } from '../messages.ts'
import type { OperationContext, OperationResult, Refusal } from '../messages.ts'
import { paginate, parsePaging } from '../pagination.ts'
import {
  parsePlainDecimal,
  readParameter,
  refuseUnknownParameters,
  parseId,
} from '../parameters.ts'
import {
  presentLatestReport,
  presentProjectLinks,
  presentDomain,
  presentLabel,
  presentUserOf,
} from '../present.ts'
import { createMatch, findMatches } from '../search.ts'
import { byCreationDescending, compare } from '../selection.ts'

/** Specification 4.3: a page of the projects that the token may see and the query selects. */
export function listProjects(context: OperationContext): OperationResult {
  const unknown = refuseUnknownParameters(context)
  if (unknown) return unknown

  const paging = parsePaging(context)
  if ('problem' in paging) return paging
  const projects = findProjects(context)
  if ('problem' in projects) return projects
  const page = paginate(context, paging, projects)
  if ('problem' in page) return page

  const body: ProjectPage = {
    data: page.items.map((project) => presentListItem(project, context)),
    meta: page.meta,
    links: page.links,
    cache_refreshed_at: context.refreshedAt,
  }
  return { body, shown: { next: page.links.next } }
}

function presentListItem(project: ProjectRecord, context: OperationContext): ProjectListItem {
  return {
    id: project.id,
    name: project.name,
    status: project.status,
    keyword_count: context.records.keywordsOf(project.id).length,
    ...presentLatestReport(project, context),
    links: presentProjectLinks(project),
  }
}

/** Returns the projects that the query selects. An invalid parameter is refused before a forbidden one (G-011). */
function findProjects(context: OperationContext): readonly ProjectRecord[] | Refusal {
  const { query, token, records, policy } = context
  const { agency, refusal, isEmpty } = agencyScope(context)
  if (refusal?.problem === 'invalid_parameter') return refusal

  const status = readParameter(query, 'status', policy)
  const comparison = status === undefined ? 'exact' : policy('status-filter')
  const visible = { agency: token.agency ?? undefined, status }
  // A status is unknown if no visible project has it, even if another filter would exclude all projects that have it.
  if (comparison === '400' && records.projectsOf(visible).length === 0) {
    return refuse('invalid_parameter')
  }
  if (refusal) return refusal
  if (isEmpty) return []

  const search = readParameter(query, 'search', policy)
  return context.derive(JSON.stringify([agency, status, search, comparison]), () => {
    const projects = filterByStatus(agency, status, comparison, records)
    if (search === undefined) return inOrder(projects, policy)
    return inOrder(findMatches(projects, createMatch(search, policy)), policy)
  })
}

/** The agency whose projects are listed, or the reason for listing none. */
interface AgencyScope {
  /** Undefined for all agencies. */
  agency: number | undefined
  isEmpty?: boolean
  refusal?: Refusal
}

/**
 * Specification 4.3, 5(6), 5(7): an agency's token sees the projects of its agency. A super-admin token sees those of `agency_id`
 * or, without that parameter, those that policy selects.
 */
function agencyScope({ query, token, records, policy }: OperationContext): AgencyScope {
  const filter = readParameter(query, 'agency_id', policy)
  if (token.agency !== null) return scopeOfAgencyToken(token.agency, filter, policy)
  if (filter === undefined) return scopeOfSuperAdmin(policy)
  const agency = parsePlainDecimal(filter)
  if (agency !== undefined && records.get('agencies', agency)) return { agency }
  if (policy('invalid-agency-id') === 'ignored') return scopeOfSuperAdmin(policy)
  if (/^[+-]?\d+$/.test(filter)) return { agency: undefined, isEmpty: true }
  return { agency: undefined, refusal: refuse('invalid_parameter') }
}

/** Returns the scope of a super-admin token without an `agency_id` to filter by: all agencies, or no projects (G-016). */
function scopeOfSuperAdmin(policy: ReadPolicy): AgencyScope {
  return { agency: undefined, isEmpty: policy('super-admin-projects') === 'none' }
}

/**
 * Returns the scope of an agency's token. Policy decides about `agency_id`, which is meant for super-admin tokens (specification
 * 4.3(5), G-014).
 */
function scopeOfAgencyToken(
  agency: number,
  filter: string | undefined,
  policy: ReadPolicy,
): AgencyScope {
  if (filter === undefined) return { agency }
  switch (policy('agency-id-of-agency-token')) {
    case 'ignore':
      return { agency }
    case 'intersect':
      return { agency, isEmpty: filter !== String(agency) }
    case '400':
      return { agency, refusal: refuse('agency_filter_refused') }
    case '403':
      return { agency, refusal: refuse('agency_filter_forbidden') }
  }
}

/**
 * Returns the projects of an agency that have a status. An undefined agency or status matches all. G-040 describes the comparisons.
 */
function filterByStatus(
  agency: number | undefined,
  status: string | undefined,
  comparison: PolicyValue<'status-filter'>,
  records: RecordReader,
): readonly ProjectRecord[] {
  if (status === undefined || comparison !== 'case-insensitive') {
    return records.projectsOf({ agency, status })
  }
  const wanted = status.toLowerCase()
  return records
    .projectsOf({ agency, status: undefined })
    .filter((project) => project.status.toLowerCase() === wanted)
}

/** Sorts projects by the policy `project-order` (G-039). The input must be in ascending order of id. */
function inOrder(projects: readonly ProjectRecord[], policy: ReadPolicy): readonly ProjectRecord[] {
  if (projects.length < 2) return projects
  const order = policy('project-order')
  if (order === 'id') return projects
  if (order === 'created') return projects.toSorted(byCreationDescending)
  return projects.toSorted((one, other) => compare(one.name, other.name))
}

/** Specification 2.5: a single project. */
export function getProject(context: OperationContext): OperationResult {
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

/** Returns the project of the path if the token may see it, or else a refusal (specification 4.2, 5(7)). */
export function findProject({
  params,
  token,
  records,
  policy,
}: OperationContext): ProjectRecord | Refusal {
  const id = parseId(params[0] ?? '', policy)
  if (typeof id !== 'number') return id
  const project = records.get('projects', id)
  if (!project) return refuse('project_not_found')
  if (token.agency === null || project.agency === token.agency) return project
  return refuse(policy('foreign-project') === '403' ? 'forbidden' : 'project_not_found')
}
