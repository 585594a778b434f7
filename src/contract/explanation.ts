import { z } from 'zod'
import { DateTime, Id } from './conventions.ts'
import { Report, ReportNumber, ReportRecord } from './report.ts'

/** The fields of a report that identify it or affect its selection. */
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

/** A change in the response of `latest` or `last-generated`. */
const SelectionChange = z.strictObject({
  at: DateTime.describe('The first millisecond of the changed response, on the world clock'),
  selected: ReportSummary.nullable().describe(
    'The report in the response from then on; null for a 404',
  ),
})

/** The report that `latest` or `last-generated` selects, and the reasons. */
export const SelectionExplanation = z.strictObject({
  rule: z.string().describe('The section of the specification that decided'),
  selected: ReportSummary.nullable().describe('The report in the response; null for a 404'),
  data: Report.nullable().describe(
    'That report as the API returns it at that time; null for a 404',
  ),
  candidates: z
    .array(
      z.strictObject({
        report: ReportSummary,
        is_selected: z.boolean(),
        section: z.string().describe('The section of the rule that the reason refers to'),
        reason: z.string().describe('The reason that it was selected, or was not: a sentence'),
      }),
    )
    .describe('Every report of the project: first the selected one, then the next candidates'),
  next_change: SelectionChange.nullable().describe(
    'The next change of the response by the passing of time alone, even if only in fields of the same report; null for never',
  ),
  next_selection: SelectionChange.nullable().describe(
    'The next selection of another report, or of none, by the passing of time alone; null for never',
  ),
})

export type SelectionExplanation = z.infer<typeof SelectionExplanation>

/** A change of a project's reports, or of the report that `latest` or `last-generated` selects. */
export const ProjectChange = z.strictObject({
  at: DateTime.describe('The first millisecond of the change, on the world clock'),
  reports: z
    .array(
      ReportRecord.pick({
        id: true,
        report_number: true,
        status: true,
        approved_status: true,
        managed_status: true,
        sent: true,
      }),
    )
    .describe('New and changed reports, in their state from then on'),
  removed: z.array(Id).describe('The ids of reports that no longer exist'),
  latest: Id.nullable().describe('The id of the report that `latest` selects from then on'),
  last_generated: Id.nullable().describe('The same for `last-generated`'),
})
export type ProjectChange = z.infer<typeof ProjectChange>

/** A report that has failed or is overdue, and the reason for the delay. */
export const ReportWait = z.strictObject({
  report_number: ReportNumber,
  reason: z.string().describe('The event that it waits for, without a full stop'),
  since: DateTime.nullable().describe('Start of the wait; null if unknown'),
  ready: DateTime.nullable().describe(
    'Time of its completion by the passing of time alone; null for never',
  ),
  to_client: DateTime.nullable().describe(
    'Time of its delivery to the customer by the passing of time alone; null for never',
  ),
})
export type ReportWait = z.infer<typeof ReportWait>

/** The reports of a project that `latest` and `last-generated` select, and the reasons, as plain JSON. */
export const Explanation = z.strictObject({
  project: Id,
  now: DateTime.describe('The world clock'),
  at: DateTime.describe('The time that is explained'),
  latest: SelectionExplanation,
  last_generated: SelectionExplanation,
  wait: ReportWait.nullable().describe(
    'The reason that the report that `latest` selects has failed, or is not completed a day after its date; null if it is not overdue, or the project is not active',
  ),
  changes: z
    .array(ProjectChange)
    .describe('The next changes after that time by the passing of time alone, in order'),
})
export type Explanation = z.infer<typeof Explanation>
