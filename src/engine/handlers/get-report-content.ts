import type { KeywordRecord } from '../../contract/keyword.ts'
import { LAST_REPORT_NUMBER } from '../../contract/limits.ts'
import type { ReadPolicy } from '../../contract/policies.ts'
import type { ProjectRecord } from '../../contract/project.ts'
import type { KeywordEntry, ReportContent } from '../../contract/report-content.ts'
import {
  contentSchemeOf,
  hasContent,
  H3_TEXT_BLOCKS,
  H3_TEXT_BLOCKS_FIELDS,
} from '../../contract/report-facts.ts'
import type { H3TextHtmlBlock, ReportRecord, H3TextBlock } from '../../contract/report.ts'
import { escapeHtml } from '../../contract/text.ts'
import { refuse, toShown } from '../messages.ts'
import type { OperationContext, OperationResult, Refusal } from '../messages.ts'
import { isPlainDecimal, parsePlainDecimal } from '../parameters.ts'
import { presentDomain, presentUserOf } from '../present.ts'
import { findProject } from './projects.ts'

/** Specification 4.7: the generated content of one report, by keyword. */
export function getReportContent(context: OperationContext): OperationResult {
  const { params, records, policy, refreshedAt } = context
  const project = findProject(context)
  const number = parseReportNumber(params[1] ?? '')
  if ('problem' in project) {
    const isNumberFirst =
      number === undefined && policy('unknown-project-with-bad-number') === '400'
    return isNumberFirst ? refuseReportNumber(params[1] ?? '', policy) : project
  }
  if (number === undefined) return refuseReportNumber(params[1] ?? '', policy)

  const report = records.reportsOf(project.id).find(({ report_number }) => report_number === number)
  if (!report) return refuse('report_not_found')
  return {
    body: {
      data: presentContent(report, project, context),
      cache_refreshed_at: refreshedAt,
    },
    shown: toShown([report]),
  }
}

function parseReportNumber(text: string): number | undefined {
  const number = parsePlainDecimal(text) ?? 0
  return number >= 1 && number <= LAST_REPORT_NUMBER ? number : undefined
}

/** Specification 4.7(1): 400 outside 1 to 26. For a string that is not a plain decimal, policy may demand 404 (G-049). */
function refuseReportNumber(text: string, policy: ReadPolicy): Refusal {
  const isNotFound = !isPlainDecimal(text) && policy('malformed-report-number') === '404'
  return refuse(isNotFound ? 'report_not_found' : 'report_number_out_of_range')
}

function presentContent(
  report: ReportRecord,
  project: ProjectRecord,
  { records, policy }: OperationContext,
): ReportContent {
  const keywords = records.keywordsOf(project.id)
  const active = keywords.filter(({ active: isActive }) => isActive)
  const withContent = keywords.filter(({ id }) => hasContent(report, id))
  const activeWithContent = withContent.filter(({ active: isActive }) => isActive)
  const isAllCounted =
    withContent.length > activeWithContent.length && policy('keywords-with-content') === 'all'
  const scheme = presentScheme(report, policy)
  return {
    report_number: report.report_number,
    report_id: report.id,
    report_name: report.report_name,
    content_scheme: scheme,
    content_scheme_fields:
      scheme === H3_TEXT_BLOCKS ? H3_TEXT_BLOCKS_FIELDS : (report.content_scheme_fields ?? null),
    links: presentLinks(report, project, policy),
    project_id: project.id,
    project_domain: presentDomain(project, policy),
    project_status: project.status,
    is_generated: report.status === 'completed',
    generation_status: report.status,
    approved_status: report.approved_status,
    approved_by: presentUserOf(report.approved_by, records),
    managed_status: report.managed_status,
    managed_by: presentUserOf(report.managed_by, records),
    date_to_create_texts: report.date_to_create_texts,
    date_to_send_to_client: report.date_to_send_to_client,
    summary: {
      keyword_count: active.length,
      keywords_with_content: (isAllCounted ? withContent : activeWithContent).length,
    },
    keywords: active.map((keyword) => presentEntry(keyword, report, policy)),
  }
}

/** Returns the content scheme of a report. If the record neither sets `content_scheme` nor has content, policy decides (G-083). */
function presentScheme(report: ReportRecord, policy: ReadPolicy): string | null {
  const scheme = contentSchemeOf(report)
  if (scheme !== null || report.content_scheme === null) return scheme
  return policy('scheme-without-content') === 'known' ? H3_TEXT_BLOCKS : null
}

function presentLinks(
  { web_link, pdf_link }: ReportRecord,
  { domain }: ProjectRecord,
  policy: ReadPolicy,
): ReportContent['links'] {
  const links = { project_website: domain, report_web: web_link, report_pdf: pdf_link }
  if (!Object.values(links).includes(null)) return links
  switch (policy('null-links')) {
    case 'null':
      return links
    case 'empty':
      return {
        project_website: domain ?? '',
        report_web: web_link ?? '',
        report_pdf: pdf_link ?? '',
      }
    case 'omitted':
      return Object.fromEntries(Object.entries(links).filter(([, link]) => link !== null))
  }
}

/** Specification 4.7(3): for a keyword without content, both `content` and `html` are null (trap T18). */
function presentEntry(
  { id, keyword, url }: KeywordRecord,
  report: ReportRecord,
  policy: ReadPolicy,
): KeywordEntry {
  const keywordContent = report.content?.[id]
  const entry = {
    keyword_id: id,
    keyword,
    keyword_url: url,
    has_content: keywordContent !== undefined,
  }
  if (keywordContent === undefined) return { ...entry, content: null, html: null }
  if (!Array.isArray(keywordContent))
    return { ...entry, content: keywordContent.content, html: keywordContent.html }
  const html = keywordContent.map((block): H3TextHtmlBlock => toHtmlBlock(block, policy))
  return { ...entry, content: keywordContent.map(({ h3, text }) => ({ h3, text })), html }
}

/** Specification 2.7: an `<h3>` and a `<p>`, separated by a newline. */
function toHtmlBlock({ h3, text }: H3TextBlock, policy: ReadPolicy): H3TextHtmlBlock {
  const [heading, paragraph] = [h3, text].map((part) => toHtml(part, policy))
  return { h3_and_text: `<h3>${heading}</h3>\n<p>${paragraph}</p>` }
}

function toHtml(text: string, policy: ReadPolicy): string {
  if (!/[&<>"\n\r]/.test(text)) return text
  const form = policy('html-escaping')
  if (form === 'raw') return text
  const escaped = escapeHtml(text)
  return form === 'br' ? escaped.replaceAll(/\r\n?|\n/g, '<br>') : escaped
}
