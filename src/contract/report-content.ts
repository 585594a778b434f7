import { z } from 'zod'
import { Id } from './conventions.ts'
import {
  JsonTree,
  H3TextBlock,
  H3TextHtmlBlock,
  Report,
  ReportNumber,
  ReportStatus,
} from './report.ts'

/** One keyword in a report's content (specification 2.7). */
export const KeywordEntry = z.strictObject({
  keyword_id: Id.describe('Keyword ID'),
  keyword: z.string().describe('Keyword phrase'),
  keyword_url: z.string().nullable().describe('Target page URL of the keyword'),
  has_content: z
    .boolean()
    .describe('true if content was generated for this keyword in this report'),
  content: z
    .union([z.array(H3TextBlock), JsonTree])
    .nullable()
    .describe('Plain text; null when has_content is false; its shape depends on content_scheme'),
  html: z
    .union([z.array(H3TextHtmlBlock), JsonTree])
    .nullable()
    .describe(
      'HTML ready to embed; null when has_content is false; its shape depends on content_scheme',
    ),
})
export type KeywordEntry = z.infer<typeof KeywordEntry>

const Link = z.string().nullable().optional()

/** The generated content of one report, by keyword (specification 2.7). */
export const ReportContent = z.strictObject({
  report_number: ReportNumber,
  report_id: Report.shape.id,
  report_name: Report.shape.report_name,
  content_scheme: z.string().nullable().describe('Identifier of the content scheme'),
  content_scheme_fields: z
    .array(z.string())
    .nullable()
    .describe('Field names present in each content block'),
  links: z
    .strictObject({ project_website: Link, report_web: Link, report_pdf: Link })
    .describe('null if the source is null (G-067)'),
  project_id: Report.shape.project_id,
  project_domain: z.string().nullable().describe('Project website URL'),
  project_status: z.string().describe('Project status'),
  is_generated: z.boolean().describe('true when generation_status is completed'),
  generation_status: ReportStatus,
  approved_status: Report.shape.approved_status,
  approved_by: Report.shape.approved_by,
  managed_status: Report.shape.managed_status,
  managed_by: Report.shape.managed_by,
  date_to_create_texts: Report.shape.date_to_create_texts,
  date_to_send_to_client: Report.shape.date_to_send_to_client,
  summary: z.strictObject({
    keyword_count: z.int().nonnegative().describe('Active keywords of the project'),
    keywords_with_content: z
      .int()
      .nonnegative()
      .describe('Keywords that have content in this report'),
  }),
  keywords: z.array(KeywordEntry),
})
export type ReportContent = z.infer<typeof ReportContent>
