import { z } from 'zod'
import { DateTime, Id } from './conventions.ts'
import { ReportRecord } from './report.ts'

/** The fields of a report that identify it, and those that the selection uses. */
export const ReportSummary = ReportRecord.pick({
  id: true,
  report_number: true,
  status: true,
  date_to_create_texts: true,
  created_at: true,
  level: true,
  action_type: true,
})
export type ReportSummary = z.infer<typeof ReportSummary>

/** Why one of the two endpoints selects its report. */
export const AnswerExplanation = z.strictObject({
  rule: z.string().describe('The section of the specification that decided'),
  selected: ReportSummary.nullable().describe('The report in the response; null where it is 404'),
  candidates: z
    .array(
      z.strictObject({
        report: ReportSummary,
        is_selected: z.boolean(),
        reason: z.string().describe('Why it was selected, or why not: a sentence'),
      }),
    )
    .describe('Every report of the project, the selected one and those next in line first'),
  next_change: z
    .strictObject({
      at: DateTime.describe('The first millisecond of the other response on the world clock'),
      selected: ReportSummary.nullable().describe(
        'The report in the response from then on, the same one where only its fields change',
      ),
    })
    .nullable()
    .describe('When the response changes by the passing of time alone; null where it never does'),
})

export type AnswerExplanation = z.infer<typeof AnswerExplanation>

/** Why `latest` and `last-generated` select their reports of a project, as plain JSON. */
export const Explanation = z.strictObject({
  project: Id,
  now: DateTime.describe('The world clock'),
  latest: AnswerExplanation,
  last_generated: AnswerExplanation,
})
export type Explanation = z.infer<typeof Explanation>
