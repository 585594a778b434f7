import { z } from 'zod'
import { MOMENTS } from './collection-facts.ts'
import { CalendarDate, Id, MOMENT_INPUTS } from './conventions.ts'
import { ReportNumber } from './report.ts'

/** A keyword of a project, with the numbers of the reports that have content for it (specification 2.8). */
export const Keyword = z.strictObject({
  id: Id.describe('Keyword ID'),
  keyword: z.string().describe('Keyword phrase'),
  url: z.string().nullable().describe('Target page URL'),
  create_date: CalendarDate.describe('When the keyword was added'),
  latest_position: z
    .int()
    .positive()
    .nullable()
    .describe('Most recent SERP rank position, from 1; null for none'),
  status_200: z.boolean().nullable().describe('Whether the target URL last returned HTTP 200'),
  content_count: z
    .int()
    .nonnegative()
    .describe('Number of reports that have content for the keyword'),
  content_action_ids: z
    .array(ReportNumber)
    .describe('Report numbers that have content for the keyword, ascending'),
})
export type Keyword = z.infer<typeof Keyword>

/** A keyword as a world stores it. */
export const KeywordRecord = z.strictObject({
  id: Keyword.shape.id,
  project: Id.describe('Project ID'),
  keyword: Keyword.shape.keyword,
  create_date: MOMENT_INPUTS[MOMENTS.keywords.create_date].describe('When the keyword was added'),
  url: Keyword.shape.url.default(null),
  latest_position: Keyword.shape.latest_position.default(null),
  status_200: Keyword.shape.status_200.default(null),
  active: z.boolean().default(true).describe('Inactive keywords are not in report content'),
})
export type KeywordRecord = z.infer<typeof KeywordRecord>
