import type { RecordOf } from '../contract/records.ts'

/** Names a report by its project and number. */
export type ReportName = Pick<RecordOf<'reports'>, 'project' | 'report_number'>

/** Fields of a report, in the fixture's form. */
export type ReportFields = Partial<RecordOf<'reports'>>

/** What a step of a report's life returns: the report after it, in the fixture's form. */
type Step = (report: ReportName, fields?: ReportFields) => Promise<RecordOf<'reports'>>

/**
 * Changes reports. All methods but `set` are the steps of a report's life, each of which sets what the service would. A `Step` takes the
 * report as `{ project, report_number }`, and fields in place of those that it sets; it returns the report after it, in the fixture's
 * form. In a world whose reports move by themselves, the report continues from that moment.
 *
 * @throws CommandError for a step that cannot follow; it names those that can.
 */
export interface SandboxReports {
  /**
   * Creates the next report of a project: pending, with the number after its last one, due a month after the latest due date of
   * its reports, or a month from now where none has one.
   *
   * @throws CommandError after report 26.
   */
  create: (
    project: Pick<ReportName, 'project'>,
    fields?: ReportFields,
  ) => Promise<RecordOf<'reports'>>
  /** Starts a pending report. */
  start: Step
  /**
   * Completes a pending or running report, with content for up to eight active keywords in the project's language, the content
   * scheme and links. Fields that are already filled stay as they are.
   */
  complete: Step
  /** Has a pending or running report fail; it waits for `retry`. */
  fail: Step
  /** Starts a failed report again. */
  retry: Step
  /** Approves a completed report, by the managing user of its project unless `approved_by` is given. */
  approve: Step
  /** Takes the approval of a completed report back; `approved_status` is null unless it is given. */
  reject: Step
  /** Manages a completed report, by the managing user of its project unless `managed_by` is given. */
  manage: Step
  /** Sends a completed report to the client; `date_to_send_to_client` is today where it was null. */
  send: Step
  /**
   * Replaces a report that is not pending by a new row with its number and an id of its own, created now: completed where
   * reports move by commands alone, otherwise running.
   */
  regenerate: Step
  /** Changes fields of a report as they are given, and nothing else; it no longer moves by itself. */
  set: (report: ReportName, fields: ReportFields) => Promise<RecordOf<'reports'>>
}
