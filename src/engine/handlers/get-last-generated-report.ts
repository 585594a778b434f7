import type { OperationContext } from '../operation-context.ts'
import { refuse, toShown } from '../messages.ts'
import type { Outcome } from '../messages.ts'
import { presentReport } from '../present.ts'
import { selectLastGenerated } from '../selection.ts'
import { findProject } from './project.ts'

/** Specification 4.6. */
export function getLastGeneratedReport(context: OperationContext): Outcome {
  const project = findProject(context)
  if ('problem' in project) return project
  const { records, refreshedAt } = context
  const { selected, rule } = selectLastGenerated(records.reportsOf(project.id))
  if (!selected) return { ...refuse('report_not_found'), rule }
  return {
    body: { data: presentReport(selected, records), cache_refreshed_at: refreshedAt },
    rule,
    shown: toShown([selected]),
  }
}
