import type { RecordReader } from '../contract/records.ts'
import { hasContent } from '../contract/report-facts.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { ProjectRecord } from '../contract/project.ts'
import { toBlocks } from '../pages/report-page.ts'
import type { PageBlock, ReportPage } from '../pages/report-page.ts'

/** What the pages of a report show; `pdf` is the address of its PDF as seen from its web page. */
export function readReportPage(
  { report, project }: { report: ReportRecord; project: ProjectRecord },
  { records, pdf }: { records: RecordReader; pdf: string },
): ReportPage {
  const languageOf = (id: number | null) =>
    (id === null ? undefined : records.get('languages', id)?.label) ?? null
  const active = records.keywordsOf(project.id).filter((keyword) => keyword.active)
  return {
    project: project.name,
    website: project.domain,
    reportNumber: report.report_number,
    reportName: report.report_name,
    date: report.date_to_create_texts,
    language: languageOf(project.report_language ?? project.text_language),
    textLanguage: languageOf(project.text_language),
    pdf,
    keywords: active.map(({ id, keyword, url, latest_position: position }) => {
      const content = hasContent(report, id) ? () => readContent(report, id) : undefined
      return { id, keyword, url, position, content }
    }),
  }
}

/** The content of a report for a keyword, in its plain form. */
function readContent(report: ReportRecord, keyword: number): PageBlock[] {
  const stated = report.content?.[keyword] ?? []
  return Array.isArray(stated)
    ? stated.map(({ h3: heading, text }) => ({ heading, text }))
    : toBlocks(stated.content)
}
