import type { RecordReader } from '../contract/records.ts'
import { H3_TEXT_BLOCKS, reportLinks } from '../contract/report-facts.ts'
import type { ReportRecord } from '../contract/report.ts'
import { toDate } from '../contract/time.ts'
import { withLazyContent } from './report-texts.ts'
import type { ReportTexts } from './report-texts.ts'

interface Completion {
  records: RecordReader
  texts: ReportTexts
  /** Latest `create_date` of keywords that get content; unlimited if omitted. */
  lastDay?: string
  /**
   * Scheme that the caller will give the completed report; null for none. If omitted, the scheme of the report or, without one,
   * `h3_text_blocks`.
   */
  scheme?: string | null | undefined
}

/**
 * Returns a completed copy of a report. Existing links and content stay. Missing content is written when it is first read,
 * in the scheme `h3_text_blocks` only: for active keywords created by `lastDay`, up to the maximum number of texts.
 */
export function completeReport(
  report: ReportRecord,
  { records, texts, lastDay, scheme = report.content_scheme || H3_TEXT_BLOCKS }: Completion,
): ReportRecord {
  const { content: existing = {}, ...rest } = report
  const links = reportLinks(report.id)
  const completed: ReportRecord = {
    ...rest,
    status: 'completed',
    pdf_link: report.pdf_link || links.pdf_link,
    web_link: report.web_link || links.web_link,
  }
  const isWritable = scheme === H3_TEXT_BLOCKS && Object.values(existing).every(Array.isArray)
  if (!isWritable) return 'content' in report ? { ...completed, content: existing } : completed
  const writeContent = (): NonNullable<ReportRecord['content']> => {
    const content = { ...existing }
    const project = records.get('projects', report.project)
    if (!project) return content
    const without = records
      .keywordsOf(report.project)
      .filter(
        ({ id, active, create_date }) =>
          active && (lastDay === undefined || create_date <= lastDay) && isEmpty(existing[id]),
      )
    if (without.length === 0) return content
    const writer = texts.writerOf(project, records)
    const of = {
      report,
      project,
      keywords: without,
      existingTexts: countTexts(existing),
      business: texts.businesses.get(project.id),
    }
    for (const [keyword, write] of writer.write(of)) {
      Object.defineProperty(content, keyword.id, {
        enumerable: true,
        configurable: true,
        get: write,
      })
    }
    return content
  }
  return withLazyContent({ ...completed, content_scheme: H3_TEXT_BLOCKS }, writeContent)
}

function isEmpty(entry: NonNullable<ReportRecord['content']>[string] | undefined): boolean {
  return entry === undefined || (Array.isArray(entry) && entry.length === 0)
}

function countTexts(content: NonNullable<ReportRecord['content']>): number {
  return Object.values(content).filter((entry) => !isEmpty(entry)).length
}

/**
 * Returns an approved copy of a report. If `approved_by` is null, it becomes the user responsible for the project, if there is one
 * (G-065).
 */
export function approveReport(report: ReportRecord, records: RecordReader): ReportRecord {
  const approved_by = report.approved_by ?? personOf(report, records)
  return { ...report, approved_status: 'approved', approved_by }
}

/**
 * Returns a managed copy of a report. If `managed_by` is null, it becomes the user responsible for the project, if there is one
 * (G-065).
 */
export function manageReport(report: ReportRecord, records: RecordReader): ReportRecord {
  const managed_by = report.managed_by ?? personOf(report, records)
  return { ...report, managed_status: 'completed', managed_by }
}

/**
 * Returns a copy of a report, sent at `ms` in epoch milliseconds. If `date_to_send_to_client` is null, it becomes the UTC day of
 * `ms`.
 */
export function sendReport(report: ReportRecord, ms: number): ReportRecord {
  const date_to_send_to_client = report.date_to_send_to_client ?? toDate(ms)
  return { ...report, sent: true, date_to_send_to_client }
}

/** Returns the managing user of a report's project, or else the first user of the project's agency; null if there is neither. */
function personOf({ project: id }: ReportRecord, records: RecordReader): number | null {
  const project = records.get('projects', id)
  if (!project) return null
  return project.managing_user ?? records.usersOf(project.agency)[0]?.id ?? null
}
