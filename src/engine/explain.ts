import type {
  SelectionExplanation,
  Explanation,
  ProjectChange,
  ReportSummary,
} from '../contract/explanation.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'
import type { Report, ReportRecord } from '../contract/report.ts'
import { LATEST_MS, toDateTime } from '../contract/time.ts'
import { presentReport } from './present.ts'
import { waitOf } from './report-wait.ts'
import type { Selection } from './selection-rules.ts'
import { selectLastGenerated, selectLatest, selectionMoments } from './selection.ts'

export interface ExplanationInput {
  project: number
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** The time to explain, in epoch milliseconds on the world clock. */
  atMs: number
  /** The next refresh after `atMs`, in epoch milliseconds. */
  refreshMs: number
  /** Maximum number of upcoming changes to list. */
  changes: number
  policy: ReadPolicy
  /** Returns the records that responses will show at a time of the world clock, if nothing but the time changes until then. */
  recordsAt: (ms: number) => RecordReader
}

/** Explains the selections of specification 4.5 and 4.6 for a project; undefined for an unknown project. */
export function explain(input: ExplanationInput): Explanation | undefined {
  const { project, nowMs, atMs, policy, recordsAt } = input
  if (!recordsAt(atMs).get('projects', project)) return undefined
  const latest: Select = (reports, ms) => selectLatest(reports, ms, policy)
  return {
    project,
    now: toDateTime(nowMs),
    at: toDateTime(atMs),
    latest: explainSelection(input, latest),
    last_generated: explainSelection(input, selectLastGenerated),
    wait: explainWait(input, latest),
    changes: listChanges(input, latest),
  }
}

function explainWait({ project, atMs, recordsAt }: ExplanationInput, select: Select) {
  const records = recordsAt(atMs)
  const { selected } = select(records.reportsOf(project, atMs), atMs)
  return selected ? waitOf(selected, records, atMs) : null
}

function listChanges(input: ExplanationInput, selectLatestOf: Select): ProjectChange[] {
  const { project, recordsAt } = input
  if (input.changes === 0) return []
  const changes: ProjectChange[] = []
  const stateAt = (ms: number) => {
    const reports = recordsAt(ms).reportsOf(project, ms)
    return {
      reports: new Map(reports.map((report) => [report.id, toProgress(report)])),
      latest: selectLatestOf(reports, ms).selected?.id ?? null,
      last_generated: selectLastGenerated(reports).selected?.id ?? null,
    }
  }
  let before = stateAt(input.atMs)
  for (const ms of momentsAhead(input)) {
    const { reports, latest, last_generated } = stateAt(ms)
    const changed = [...reports.values()].filter(
      (report) => JSON.stringify(report) !== JSON.stringify(before.reports.get(report.id)),
    )
    const removed = [...before.reports.keys()].filter((id) => !reports.has(id))
    const isOther = latest !== before.latest || last_generated !== before.last_generated
    if (changed.length === 0 && removed.length === 0 && !isOther) continue
    changes.push({ at: toDateTime(ms), reports: changed, removed, latest, last_generated })
    if (changes.length === input.changes) break
    before = { reports, latest, last_generated }
  }
  return changes
}

type Progress = ProjectChange['reports'][number]

function toProgress(report: ReportRecord): Progress {
  const { id, report_number, status, approved_status, managed_status, sent } = report
  return { id, report_number, status, approved_status, managed_status, sent }
}

type Select = (reports: readonly ReportRecord[], ms: number) => Selection

function explainSelection(input: ExplanationInput, select: Select): SelectionExplanation {
  const current = selectAt(input.atMs, input, select)
  const { selection } = current
  return {
    rule: selection.rule,
    selected: summarize(selection.selected),
    data: current.data,
    candidates: selection.candidates().map(({ report, isSelected, section, reason }) => ({
      report: toSummary(report),
      is_selected: isSelected,
      section,
      reason,
    })),
    ...findNext(current, input, select),
  }
}

type Next = Pick<SelectionExplanation, 'next_change' | 'next_selection'>

function findNext(current: SelectionAt, input: ExplanationInput, select: Select): Next {
  let next_change: Next['next_change'] = null
  const shown = JSON.stringify(current.data)
  for (const ms of momentsAhead(input)) {
    const next = selectAt(ms, input, select)
    if (JSON.stringify(next.data) === shown) continue
    const { selected } = next.selection
    const change = { at: toDateTime(ms), selected: summarize(selected) }
    next_change ??= change
    if (selected?.id !== current.selection.selected?.id) {
      return { next_change, next_selection: change }
    }
  }
  return { next_change, next_selection: null }
}

interface SelectionAt {
  selection: Selection
  /** The `data` of the response; null for a 404. */
  data: Report | null
}

function selectAt(
  ms: number,
  { project, recordsAt }: ExplanationInput,
  select: Select,
): SelectionAt {
  const records = recordsAt(ms)
  const selection = select(records.reportsOf(project, ms), ms)
  const { selected } = selection
  return { selection, data: selected ? presentReport(selected, records) : null }
}

/**
 * Yields, in ascending order, the times after `atMs` at which time alone may change a response: the next refresh, the transitions
 * of reports, and the starts and ends of the months of `date_to_create_texts`.
 */
function* momentsAhead(input: ExplanationInput): Generator<number> {
  const { project, atMs, refreshMs, policy, recordsAt } = input
  const moves = new Set([refreshMs, ...recordsAt(refreshMs).reportMomentsOf(project)])
  const ahead = [...moves]
    .filter((ms) => ms > atMs && ms <= LATEST_MS)
    .toSorted((one, other) => one - other)
  for (const [index, fromMs] of [atMs, ...ahead].entries()) {
    if (index > 0) yield fromMs
    const reports = recordsAt(fromMs).reportsOf(project, fromMs)
    const untilMs = ahead[index] ?? LATEST_MS
    yield* selectionMoments(reports, policy, { afterMs: fromMs, beforeMs: untilMs })
  }
}

function summarize(report: ReportRecord | undefined): ReportSummary | null {
  return report ? toSummary(report) : null
}

function toSummary(report: ReportRecord): ReportSummary {
  const { id, report_number, status, date_to_create_texts, created_at, level, action_type } = report
  return { id, report_number, status, date_to_create_texts, created_at, level, action_type }
}
