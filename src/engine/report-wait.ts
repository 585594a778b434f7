import type { ReportWait } from '../contract/explanation.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord, ReportStatus } from '../contract/report.ts'
import { DAY_MS, LATEST_MS, toDateTime } from '../contract/time.ts'

const REASONS: Readonly<Record<Exclude<ReportStatus, 'completed'>, string>> = {
  pending: 'It has not started yet',
  running: 'Some of its texts are not written yet',
  failed: 'Its texts could not be written, and it has to be tried again',
}

/** True for a report that has failed, or that is not completed although the day of its `date_to_create_texts` is over (UTC). */
export function isOverdue(
  { status, date_to_create_texts: due }: ReportRecord,
  nowMs: number,
): boolean {
  if (status === 'completed') return false
  return status === 'failed' || (due !== null && nowMs >= Date.parse(due) + DAY_MS)
}

/**
 * Returns the reason why a report is overdue, and the times at which its wait began and will end if nothing but the time changes.
 * Null if the report is not overdue. Also null if its project is not active, because nobody waits for the report.
 */
export function waitOf(
  report: ReportRecord,
  records: RecordReader,
  nowMs: number,
): ReportWait | null {
  const { id, project, report_number, status } = report
  if (status === 'completed' || !isOverdue(report, nowMs)) return null
  if (records.get('projects', project)?.status !== 'active') return null
  const at = (ms: number) => records.reportsOf(project, ms).find((each) => each.id === id)
  const moments = [...new Set(records.reportMomentsOf(project))]
    .filter((ms) => ms <= LATEST_MS)
    .toSorted((one, other) => one - other)
  const past = moments.filter((ms) => ms <= nowMs)
  const ahead = moments.filter((ms) => ms > nowMs)
  const since = past.findLast((ms) => at(ms - 1)?.status !== status)
  const ready = ahead.find((ms) => at(ms)?.status === 'completed')
  const sent = ready === undefined ? undefined : ahead.find((ms) => ms >= ready && at(ms)?.sent)
  const toTime = (ms: number | undefined) => (ms === undefined ? null : toDateTime(ms))
  return {
    report_number,
    reason: REASONS[status],
    since: toTime(since),
    ready: toTime(ready),
    to_client: toTime(sent),
  }
}
