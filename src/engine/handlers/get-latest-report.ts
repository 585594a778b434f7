import type { OperationContext } from '../operation-context.ts'
import { refuse } from '../messages.ts'
import type { Outcome } from '../messages.ts'
import { presentReport } from '../present.ts'
import { selectLatest } from '../selection.ts'
import { findProject } from './project.ts'

/** Specification 4.5. */
export function getLatestReport(context: OperationContext): Outcome {
  const project = findProject(context)
  if ('problem' in project) return project
  const { records, nowMs, policy, refreshedAt } = context
  const report = selectLatest(records.reportsOf(project.id), nowMs, policy).selected
  if (!report) return refuse('report_not_found')
  return { body: { data: presentReport(report, records), cache_refreshed_at: refreshedAt } }
}
