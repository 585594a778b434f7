import type { PolicyValue } from './policies.ts'
import type { ReportRecord } from './report.ts'

/** The one content scheme that the specification describes (2.7). */
export const H3_TEXT_BLOCKS = 'h3_text_blocks'
export const H3_TEXT_BLOCKS_FIELDS = ['h3', 'text']

/** The report's own scheme; where none is stated, the known one if there is content. */
export function contentSchemeOf(
  report: Pick<ReportRecord, 'content_scheme' | 'content'>,
): string | null {
  if (report.content_scheme !== undefined) return report.content_scheme
  return Object.keys(report.content ?? {}).length > 0 ? H3_TEXT_BLOCKS : null
}

/** Whether a report has content for a keyword; `content` and `html` come with it (specification 2.7). */
export function hasContent({ content }: Pick<ReportRecord, 'content'>, keyword: number): boolean {
  return content !== undefined && Object.hasOwn(content, keyword)
}

/** Whether a report is at project level, rather than below it (specification 4.5, 4.6). */
export function isProjectLevel({ level }: Pick<ReportRecord, 'level'>): boolean {
  return level === 'project'
}

/** Which reports the reports list of a project shows (specification 4.4, G-078). */
export function listedBy(
  levels: PolicyValue<'reports-list-levels'>,
): (report: Pick<ReportRecord, 'level'>) => boolean {
  return levels === 'filtered' ? isProjectLevel : () => true
}
