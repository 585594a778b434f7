import { LAST_REPORT_NUMBER } from '../contract/limits.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'

type ReportEventKind =
  | 'finished'
  | 'finished-again'
  | 'finished-late'
  | 'failed'
  | 'retried'
  | 'regenerated'
  | 'last-report'

/** An event of a report that happens as time passes, without a command. */
export interface ReportEvent {
  kind: ReportEventKind
  /** Time by the world clock, in epoch milliseconds. */
  ms: number
  project: number
  report_number: number
}

const EVENT_TEXTS: Record<ReportEventKind, string> = {
  finished: 'is completed',
  'finished-again': 'is completed again',
  'finished-late': 'is completed after a newer one',
  failed: 'fails',
  retried: 'is started again after it failed',
  regenerated: 'is regenerated, with a new id',
  'last-report': 'is completed, the last that a project has',
}

export function describeEvent({ kind, project, report_number }: ReportEvent): string {
  return `report ${report_number} of project ${project} ${EVENT_TEXTS[kind]}`
}

/**
 * Lists the events of reports that happen as time passes, after `fromMs` and up to `toMs` in epoch milliseconds. Sorted
 * by time, then by project.
 */
export function listReportEvents(
  records: RecordReader,
  { projects, fromMs, toMs }: { projects: readonly number[]; fromMs: number; toMs: number },
): ReportEvent[] {
  const events = projects.flatMap((project) => {
    let before = byNumber(records.reportsOf(project, fromMs))
    const regenerated = new Set<number>()
    return momentsOf(records, project, { fromMs, toMs }).flatMap((ms) => {
      const after = byNumber(records.reportsOf(project, ms))
      const own = [...after.values()].flatMap((report): ReportEvent[] => {
        const kind = kindOf(report, before, regenerated)
        if (kind === 'regenerated') regenerated.add(report.id)
        return kind ? [{ kind, ms, project, report_number: report.report_number }] : []
      })
      before = after
      return own
    })
  })
  return events.toSorted((one, other) => one.ms - other.ms || one.project - other.project)
}

/**
 * Lists the times at which reports of a project change by themselves, after `fromMs` and up to `toMs`, in epoch
 * milliseconds. Ascending, without duplicates.
 */
export function momentsOf(
  records: RecordReader,
  project: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): number[] {
  const all = records.reportMomentsOf(project).filter((ms) => ms > fromMs && ms <= toMs)
  return [...new Set(all)].toSorted((one, other) => one - other)
}

type Reports = ReadonlyMap<number, ReportRecord>

function byNumber(reports: readonly ReportRecord[]): Reports {
  return new Map(reports.map((report) => [report.report_number, report]))
}

function kindOf(
  { id, report_number, status }: ReportRecord,
  before: Reports,
  regenerated: ReadonlySet<number>,
): ReportEventKind | undefined {
  const known = before.get(report_number)
  if (!known) return undefined
  if (known.id !== id) return 'regenerated'
  if (known.status === status) return undefined
  if (status === 'failed') return 'failed'
  if (known.status === 'failed') return 'retried'
  if (status !== 'completed') return undefined
  if (regenerated.has(id)) return 'finished-again'
  const isOlder = [...before.values()].some(
    (other) => other.report_number > report_number && other.status === 'completed',
  )
  if (isOlder) return 'finished-late'
  return report_number === LAST_REPORT_NUMBER ? 'last-report' : 'finished'
}
