import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'

/**
 * A copy of a generated report to be stored, with content only for the keywords that its project has: commands may
 * have removed others before the report was completed.
 */
export function withOwnContent(report: ReportRecord, records: RecordReader): ReportRecord {
  const { content, ...rest } = report
  if (!content) return rest
  const isOwn = (keyword: string): boolean =>
    records.get('keywords', Number(keyword))?.project === report.project
  return {
    ...rest,
    content: Object.fromEntries(Object.entries(content).filter(([keyword]) => isOwn(keyword))),
  }
}
