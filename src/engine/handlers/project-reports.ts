import type { ReadPolicy } from '../../contract/policies.ts'
import { listedBy, isProjectLevel } from '../../contract/report-facts.ts'
import type { ReportRecord } from '../../contract/report.ts'
import { toShown, refuse } from '../messages.ts'
import type { OperationContext, OperationResult } from '../messages.ts'
import { listResult } from '../pagination.ts'
import { presentReport } from '../present.ts'
import type { Selection } from '../selection-rules.ts'
import { byCreationDescending, compare, selectLastGenerated, selectLatest } from '../selection.ts'
import { findProject } from './projects.ts'

/** Specification 4.4: all reports of the project, newest first. */
export function listReports(context: OperationContext): OperationResult {
  const project = findProject(context)
  if ('problem' in project) return project
  const { records, policy, refreshedAt } = context
  const reports = records.reportsOf(project.id)
  const listed = reports.every(isProjectLevel)
    ? reports
    : reports.filter(listedBy(policy('reports-list-levels')))
  const result = listResult(
    context,
    listed.length < 2 ? listed : listed.toSorted(newestFirst(policy)),
    (report) => presentReport(report, records),
    { cache_refreshed_at: refreshedAt },
  )
  return 'problem' in result ? result : { ...result, shown: toShown(listed) }
}

/** Returns a comparator that puts the newest reports first, in the sense of the policy `reports-order` (G-079). */
function newestFirst(policy: ReadPolicy): (one: ReportRecord, other: ReportRecord) => number {
  switch (policy('reports-order')) {
    case 'created':
      return byCreationDescending
    case 'number':
      return (one, other) => other.report_number - one.report_number
    case 'date':
      return (one, other) =>
        compare(other.date_to_create_texts ?? '', one.date_to_create_texts ?? '') ||
        other.id - one.id
  }
}

/** Specification 4.5: the current or upcoming report. */
export function getLatestReport(context: OperationContext): OperationResult {
  const { nowMs, policy } = context
  return getSelectedReport(context, (reports) => selectLatest(reports, nowMs, policy))
}

/** Specification 4.6: the completed report that was created last. */
export function getLastGeneratedReport(context: OperationContext): OperationResult {
  return getSelectedReport(context, selectLastGenerated)
}

function getSelectedReport(
  context: OperationContext,
  select: (reports: readonly ReportRecord[]) => Selection,
): OperationResult {
  const project = findProject(context)
  if ('problem' in project) return project
  const { records, refreshedAt } = context
  const { selected, rule } = select(records.reportsOf(project.id))
  if (!selected) return { ...refuse('report_not_found'), rule }
  return {
    body: { data: presentReport(selected, records), cache_refreshed_at: refreshedAt },
    rule,
    shown: toShown([selected]),
  }
}
