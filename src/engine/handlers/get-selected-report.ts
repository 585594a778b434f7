import type { ReportRecord } from '../../contract/report.ts'
import type { OperationContext } from '../operation-context.ts'
import { refuse, toShown } from '../messages.ts'
import type { Outcome } from '../messages.ts'
import { presentReport } from '../present.ts'
import type { Selection } from '../selection-rules.ts'
import { selectLastGenerated, selectLatest } from '../selection.ts'
import { findProject } from './project.ts'

/** Specification 4.5. */
export function getLatestReport(context: OperationContext): Outcome {
  const { nowMs, policy } = context
  return getSelectedReport(context, (reports) => selectLatest(reports, nowMs, policy))
}

/** Specification 4.6. */
export function getLastGeneratedReport(context: OperationContext): Outcome {
  return getSelectedReport(context, selectLastGenerated)
}

function getSelectedReport(
  context: OperationContext,
  select: (reports: readonly ReportRecord[]) => Selection,
): Outcome {
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
