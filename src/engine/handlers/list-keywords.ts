import type { Keyword } from '../../contract/keyword.ts'
import { hasContent } from '../../contract/report-facts.ts'
import type { OperationContext, OperationResult } from '../messages.ts'
import { inListOrder, listResult } from '../pagination.ts'
import { findProject } from './projects.ts'

/** Specification 4.8: all keywords of the project, each with the numbers of the reports that have content for it. */
export function listKeywords(context: OperationContext): OperationResult {
  const project = findProject(context)
  if ('problem' in project) return project
  const { records, refreshedAt } = context
  const reports = records.reportsOf(project.id)
  const numbersOf = (keyword: number) =>
    reports
      .filter((report) => hasContent(report, keyword))
      .map(({ report_number }) => report_number)
      .toSorted((one, other) => one - other)

  return listResult(
    context,
    inListOrder(context, records.keywordsOf(project.id), ({ keyword }) => keyword),
    ({ id, keyword, url, create_date, latest_position, status_200 }): Keyword => {
      const numbers = numbersOf(id)
      return {
        id,
        keyword,
        url,
        create_date,
        latest_position,
        status_200,
        content_count: numbers.length,
        content_action_ids: numbers,
      }
    },
    { cache_refreshed_at: refreshedAt },
  )
}
