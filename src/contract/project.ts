import { z } from 'zod'
import { MOMENTS } from './collection-facts.ts'
import { DateTime, Id, MOMENT_INPUTS } from './conventions.ts'
import { Country, Language, User } from './reference-data.ts'
import { KeywordRecord } from './keyword.ts'
import { ReportNumber, ReportRecord, ReportStatus } from './report.ts'

/** Fields of the report that `/reports/latest` selects; all null if it selects none (specification 2.4). */
export const LatestReportFields = z.strictObject({
  latest_report_generated_at: DateTime.nullable().describe(
    '`created_at` of the row that `/reports/latest` returns',
  ),
  latest_report_id: Id.nullable().describe('`id` of the row that `/reports/latest` returns'),
  latest_report_number: ReportNumber.nullable().describe(
    '`report_number` of the row that `/reports/latest` returns',
  ),
  latest_report_status: ReportStatus.nullable().describe(
    '`status` of the row that `/reports/latest` returns',
  ),
})
export type LatestReportFields = z.infer<typeof LatestReportFields>

/** Paths of a project's report endpoints, including the prefix `/api/v1` (specification 2.4, 9). */
export const ProjectLinks = z.strictObject({
  latest_report: z.string().describe("Path of the project's `/reports/latest` from the root"),
  last_generated_report: z
    .string()
    .describe("Path of the project's `/reports/last-generated` from the root"),
})
export type ProjectLinks = z.infer<typeof ProjectLinks>

/** A project in the list (specification 2.4). */
export const ProjectListItem = z.strictObject({
  id: Id.describe('Project ID'),
  name: z.string().describe('Project name'),
  status: z.string().describe('Project status'),
  keyword_count: z.int().nonnegative().describe('Number of keywords tracked'),
  ...LatestReportFields.shape,
  links: ProjectLinks,
})
export type ProjectListItem = z.infer<typeof ProjectListItem>

/** A single project (specification 2.5). */
export const Project = z.strictObject({
  id: ProjectListItem.shape.id,
  name: ProjectListItem.shape.name,
  company_name: z.string().nullable().describe('Company name of the customer'),
  domain: z.string().nullable().describe('Project website URL'),
  created_at: DateTime.describe('Creation time'),
  country: Country.nullable().describe('Target country'),
  text_language: Language.nullable().describe('Language of generated content'),
  report_language: Language.nullable().describe('Language of the monthly report document'),
  managing_user: User.nullable().describe('Account manager'),
  created_by: User.nullable().describe('Creator'),
  contact_email: z.string().nullable().describe('Primary contact e-mail address'),
  client_emails: z.array(z.string()).describe('All notification e-mail addresses'),
  cc_email: z
    .string()
    .nullable()
    .describe("CC address of every report e-mail: the agency's, shared by all its projects"),
  receives_monthly_reports: z
    .boolean()
    .describe('Whether the managing_user is e-mailed the auto-generated monthly report'),
  agency: z.string().nullable().describe('Name of the managing agency, a plain string'),
  plan: z.string().nullable().describe('Subscription plan name'),
  keyword_count: ProjectListItem.shape.keyword_count,
  gsc_status: z.string().nullable().describe('Search-console connection status'),
  ...LatestReportFields.shape,
  links: ProjectLinks,
})
export type Project = z.infer<typeof Project>

/** A project as a world stores it; its keywords and reports are separate records. */
export const ProjectRecord = z.strictObject({
  id: Project.shape.id,
  agency: Id.describe('Agency ID'),
  name: Project.shape.name,
  status: ProjectListItem.shape.status.meta({
    description: 'Project status: any text; the specification shows one value',
    examples: ['active'],
  }),
  created_at: MOMENT_INPUTS[MOMENTS.projects.created_at].describe('Creation time'),
  company_name: Project.shape.company_name.default(null),
  domain: Project.shape.domain.default(null),
  country: Id.nullable().default(null).describe('Country ID'),
  text_language: Id.nullable().default(null).describe('Language ID'),
  report_language: Id.nullable().default(null).describe('Language ID'),
  managing_user: Id.nullable().default(null).describe('User ID'),
  created_by: Id.nullable().default(null).describe('User ID'),
  contact_email: Project.shape.contact_email.default(null),
  client_emails: Project.shape.client_emails.default([]),
  receives_monthly_reports: Project.shape.receives_monthly_reports.default(true),
  plan: Project.shape.plan.default(null),
  gsc_status: Project.shape.gsc_status.default(null).meta({
    description: 'Search-console connection status: any text; the specification shows one value',
    examples: ['connected'],
  }),
})
export type ProjectRecord = z.infer<typeof ProjectRecord>

/** Schemas of the records that a fixture nests in a project, without their `project` field. */
export const NESTED = {
  keywords: KeywordRecord.omit({ project: true }),
  reports: ReportRecord.omit({ project: true }),
} as const

export const ProjectFixture = z.strictObject({
  ...ProjectRecord.shape,
  keywords: z.array(NESTED.keywords).default([]).describe('The keywords that the project tracks'),
  reports: z.array(NESTED.reports).default([]).describe('The reports of the project, in any order'),
})
