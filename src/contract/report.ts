import { z } from 'zod'
import { MOMENTS } from './collection-facts.ts'
import { CalendarDate, Id, MOMENT_INPUTS } from './conventions.ts'
import { LAST_REPORT_NUMBER } from './limits.ts'
import { MAXIMUM_DEPTH } from './nesting.ts'
import { User } from './reference-data.ts'

/** Nesting levels reserved around a content tree. A session that restores a snapshot uses nearly all of them. */
const RESERVED_LEVELS = 14
const MAXIMUM_TREE_DEPTH = MAXIMUM_DEPTH - RESERVED_LEVELS

/** Report content of any scheme: a JSON list or map. Its depth is limited, which rules out cycles. */
export const JsonTree = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())], {
    error: 'This has to be a list or a map, in the shape of the content scheme. Write one.',
  })
  .refine((tree) => isJson(tree, MAXIMUM_TREE_DEPTH), {
    error: `This holds what JSON cannot, is nested more than ${MAXIMUM_TREE_DEPTH} deep, or contains itself. Write plain JSON.`,
  })

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth === 0) return false
  return Object.values(value).every((child) => isJson(child, depth - 1))
}

/** The states of a report (specification 2.10, 3). */
export const ReportStatus = z
  .enum(['pending', 'running', 'completed', 'failed'])
  .meta({ title: 'report status', description: "State of the report's generation" })
export type ReportStatus = z.infer<typeof ReportStatus>

export const ReportNumber = z
  .int()
  .min(1)
  .max(LAST_REPORT_NUMBER)
  .describe("Position in the project's report sequence, 1 to 26")

/** A report as returned by the reports list, `latest` and `last-generated` (specification 2.6). */
export const Report = z.strictObject({
  id: Id.describe('Internal report ID'),
  project_id: Id.describe('Parent project ID'),
  report_number: ReportNumber,
  report_name: z.string().nullable().describe('Human-readable label of the report type'),
  status: ReportStatus,
  date_to_create_texts: CalendarDate.nullable().describe('Content creation deadline'),
  date_to_send_to_client: CalendarDate.nullable().describe(
    'Scheduled date of delivery to the customer',
  ),
  sent: z.boolean().describe('Whether the report e-mail has been sent to the customer'),
  approved_status: z.string().nullable().describe('Approval status'),
  approved_by: User.nullable().describe('User who approved'),
  managed_status: z.string().nullable().describe('Management status'),
  managed_by: User.nullable().describe('User responsible for managing the report'),
  pdf_link: z.string().nullable().describe('URL of the PDF version'),
  web_link: z.string().nullable().describe('URL of the web version'),
})
export type Report = z.infer<typeof Report>

/** A block of the scheme `h3_text_blocks` (specification 2.7). */
export const H3TextBlock = z.strictObject({
  h3: z.string().describe('Heading'),
  text: z.string().describe('Paragraph below it'),
})
export type H3TextBlock = z.infer<typeof H3TextBlock>

/** The HTML form of a block of `h3_text_blocks`: an `<h3>`, a newline, a `<p>` (specification 2.7). */
export const H3TextHtmlBlock = z.strictObject({ h3_and_text: z.string() })
export type H3TextHtmlBlock = z.infer<typeof H3TextHtmlBlock>

/** The content of a report for one keyword: blocks of `h3_text_blocks`, or the plain and HTML forms of another scheme. */
const KeywordContent = z.union(
  [
    z.array(H3TextBlock),
    z.strictObject({
      content: JsonTree.describe('The plain form, in the shape of its scheme'),
      html: JsonTree.describe('The HTML form, in the shape of its scheme'),
    }),
  ],
  { error: 'Content is a list of blocks { h3, text }, or { content, html } for another scheme.' },
)

const KeywordKey = z.string().regex(/^[1-9]\d*$/, 'Content is keyed by keyword id, a whole number.')

/** A report as a world stores it. Reports in responses have no `created_at` (trap T2). */
export const ReportRecord = z.strictObject({
  id: Report.shape.id,
  project: Id.describe('Project ID'),
  report_number: ReportNumber,
  status: ReportStatus,
  created_at: MOMENT_INPUTS[MOMENTS.reports.created_at].describe(
    'Creation time of the row; orders last-generated',
  ),
  report_name: Report.shape.report_name.default(null),
  date_to_create_texts: MOMENT_INPUTS[MOMENTS.reports.date_to_create_texts]
    .nullable()
    .default(null)
    .describe('Content creation deadline'),
  date_to_send_to_client: MOMENT_INPUTS[MOMENTS.reports.date_to_send_to_client]
    .nullable()
    .default(null)
    .describe('Scheduled date of delivery to the customer'),
  sent: Report.shape.sent.default(false),
  approved_status: Report.shape.approved_status.default(null),
  approved_by: Id.nullable().default(null).describe('User ID'),
  managed_status: Report.shape.managed_status.default(null),
  managed_by: Id.nullable().default(null).describe('User ID'),
  pdf_link: Report.shape.pdf_link.default(null),
  web_link: Report.shape.web_link.default(null),
  level: z
    .string()
    .default('project')
    .describe('`latest` and `last-generated` consider only `project`'),
  action_type: z.string().default('regular').describe('`latest` considers only `regular`'),
  content_scheme: z
    .string()
    .nullable()
    .optional()
    .describe('Omitted: `h3_text_blocks` when there is content, else null'),
  content_scheme_fields: z
    .array(z.string())
    .nullable()
    .optional()
    .describe('Of a scheme other than `h3_text_blocks`'),
  content: z
    .record(KeywordKey, KeywordContent)
    .optional()
    .describe('By keyword id: blocks, or `{ content, html }` for another scheme'),
})
export type ReportRecord = z.infer<typeof ReportRecord>
