import { formatMonth, parseMonth } from '../contract/time.ts'
import type { KeywordRecord } from '../contract/keyword.ts'
import type { ProjectRecord } from '../contract/project.ts'
import { hasContent } from '../contract/report-facts.ts'
import type { ReportRecord } from '../contract/report.ts'
import { countByBand, toBlocks } from './report-page.ts'
import type { PageBlock, PageKeyword, PageMonth, ReportPage } from './report-page.ts'
import { Positions } from '../world/keyword-positions.ts'
import type { World } from '../world/world.ts'

/** Returns the content of a report's pages. `pdf` is the URL of the PDF, relative to that of the web page. */
export function readReportPage(
  { report, project }: { report: ReportRecord; project: ProjectRecord },
  { records, positionSource }: Pick<World, 'records' | 'positionSource'>,
  pdf: string,
): ReportPage {
  const positions = new Positions(positionSource)
  const languageOf = (id: number | null) =>
    (id === null ? undefined : records.get('languages', id)?.label) ?? null
  const manager = report.managed_by ?? project.managing_user
  const author = manager === null ? undefined : records.get('users', manager)
  const month = monthOfPage(report, positions)
  const before = records
    .reportsOf(project.id)
    .filter(({ status }) => status === 'completed')
    .map((other) => monthOfPage(other, positions))
    .filter((other) => other < month)
  const monthBefore =
    before.length === 0 ? undefined : before.reduce((last, other) => Math.max(last, other))
  const keywords = records
    .keywordsOf(project.id)
    .filter((keyword) => keyword.active && isShown(keyword, report))
  return {
    agency: { id: project.agency, name: records.get('agencies', project.agency)?.name ?? '' },
    author: author ? { name: author.name, role: author.role } : null,
    project: project.name,
    website: project.domain,
    reportNumber: report.report_number,
    reportName: report.report_name,
    date: report.date_to_create_texts,
    dateBefore: monthBefore === undefined ? null : firstOf(monthBefore),
    language: languageOf(project.report_language ?? project.text_language),
    textLanguage: languageOf(project.text_language),
    pdf,
    keywords: keywords
      .map((keyword): PageKeyword => ({
        id: keyword.id,
        keyword: keyword.keyword,
        url: keyword.url,
        position: positions.of(keyword, month),
        before: monthBefore === undefined ? undefined : positions.of(keyword, monthBefore),
        content: hasContent(report, keyword.id) ? () => readContent(report, keyword.id) : undefined,
      }))
      .toSorted((one, other) => (one.position ?? Infinity) - (other.position ?? Infinity) || 0),
    months: readMonths(keywords, month, positions),
  }
}

/**
 * Returns the month whose positions a report shows: the month of its texts or, if they have no date, of its creation.
 * For a month after the latest one with positions, returns that latest month.
 */
function monthOfPage(report: ReportRecord, { latestMonth }: Positions): number {
  return Math.min(monthOfReport(report), latestMonth)
}

function monthOfReport({ date_to_create_texts, created_at }: ReportRecord): number {
  return parseMonth(date_to_create_texts ?? created_at)
}

/** True if a keyword existed in the month of a report, or is in the report's content. */
function isShown({ id, create_date }: KeywordRecord, report: ReportRecord): boolean {
  return parseMonth(create_date) <= monthOfReport(report) || hasContent(report, id)
}

const MAXIMUM_MONTHS = 12

/**
 * Returns the rankings of the last `MAXIMUM_MONTHS` months up to `month`, from the first month in which a keyword ranks.
 * Empty if that leaves fewer than two months.
 */
function readMonths(
  keywords: readonly KeywordRecord[],
  month: number,
  positions: Positions,
): PageMonth[] {
  const months = Array.from({ length: MAXIMUM_MONTHS }, (_, index) => {
    const columnMonth = month - MAXIMUM_MONTHS + 1 + index
    const counts = countByBand(keywords.map((keyword) => positions.of(keyword, columnMonth)))
    return { date: firstOf(columnMonth), counts }
  })
  const first = months.findIndex(({ counts }) => counts.some((count) => count > 0))
  return first === -1 || first === MAXIMUM_MONTHS - 1 ? [] : months.slice(first)
}

function firstOf(month: number): string {
  return `${formatMonth(month)}-01`
}

function readContent(report: ReportRecord, keyword: number): PageBlock[] {
  const content = report.content?.[keyword] ?? []
  return Array.isArray(content)
    ? content.map(({ h3: heading, text }) => ({ heading, text }))
    : toBlocks(content.content)
}
