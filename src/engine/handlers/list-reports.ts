import type { ReadPolicy } from '../../contract/policies.ts'
import { listedBy, isProjectLevel } from '../../contract/report-facts.ts'
import type { ReportRecord } from '../../contract/report.ts'
import type { OperationContext } from '../operation-context.ts'
import { toShown } from '../messages.ts'
import type { Outcome } from '../messages.ts'
import { presentReport } from '../present.ts'
import { byCreationDescending, compare } from '../selection.ts'
import { listOutcome } from './lists.ts'
import { findProject } from './project.ts'

/** Specification 4.4: all reports of the project, newest first. */
export function listReports(context: OperationContext): Outcome {
  const project = findProject(context)
  if ('problem' in project) return project
  const { records, policy, refreshedAt } = context
  const reports = records.reportsOf(project.id)
  const listed = reports.every(isProjectLevel)
    ? reports
    : reports.filter(listedBy(policy('reports-list-levels')))
  const outcome = listOutcome(
    context,
    listed.length < 2 ? listed : listed.toSorted(newestFirst(policy)),
    (report) => presentReport(report, records),
    { cache_refreshed_at: refreshedAt },
  )
  return 'problem' in outcome ? outcome : { ...outcome, shown: toShown(listed) }
}

/** What newest first means (G-079). */
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
