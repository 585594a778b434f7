import type { AnswerExplanation, Explanation, ReportSummary } from '../contract/explanation.ts'
import { LATEST_MS, toDateTime } from '../contract/moments.ts'
import type { ReadPolicy } from '../contract/policies.ts'
import type { RecordReader } from '../contract/records.ts'
import type { ReportRecord } from '../contract/report.ts'
import type { Selection } from './selection-rules.ts'
import { presentReport } from './present.ts'
import { selectLastGenerated, selectLatest, selectionMoments } from './selection.ts'

/** What the responses for a project depend on. */
export interface ExplanationInput {
  project: number
  /** The world clock, in epoch milliseconds. */
  nowMs: number
  /** When the data that responses show is next refreshed, in epoch milliseconds. */
  refreshMs: number
  policy: ReadPolicy
  /** The records that responses show at a time of the world clock, if nothing else happens. */
  recordsAt: (ms: number) => RecordReader
}

/** Explains specification 4.5 and 4.6 for a project; undefined where there is no such project. */
export function explain(input: ExplanationInput): Explanation | undefined {
  const { project, nowMs, policy, recordsAt } = input
  if (!recordsAt(nowMs).get('projects', project)) return undefined
  return {
    project,
    now: toDateTime(nowMs),
    latest: explainAnswer(input, (reports, ms) => selectLatest(reports, ms, policy)),
    last_generated: explainAnswer(input, selectLastGenerated),
  }
}

type Select = (reports: readonly ReportRecord[], ms: number) => Selection

function explainAnswer(input: ExplanationInput, select: Select): AnswerExplanation {
  const { selection, data } = answerAt(input.nowMs, input, select)
  return {
    rule: selection.rule,
    selected: summarize(selection.selected),
    candidates: selection.candidates().map(({ report, isSelected, reason }) => ({
      report: toSummary(report),
      is_selected: isSelected,
      reason,
    })),
    next_change: findNextChange(data, input, select),
  }
}

function findNextChange(
  data: string,
  input: ExplanationInput,
  select: Select,
): AnswerExplanation['next_change'] {
  for (const ms of momentsAhead(input)) {
    const next = answerAt(ms, input, select)
    if (next.data !== data) {
      return { at: toDateTime(ms), selected: summarize(next.selection.selected) }
    }
  }
  return null
}

/** What is selected at a time, and the `data` of the response as a comparable text. */
function answerAt(
  ms: number,
  { project, recordsAt }: ExplanationInput,
  select: Select,
): { selection: Selection; data: string } {
  const records = recordsAt(ms)
  const selection = select(records.reportsOf(project, ms), ms)
  const { selected } = selection
  return { selection, data: selected ? JSON.stringify(presentReport(selected, records)) : '' }
}

/**
 * The future moments at which time alone may change a response, in order: the next refresh, the moves of
 * reports, and the beginnings and ends of the months of their dates.
 */
function* momentsAhead(input: ExplanationInput): Generator<number> {
  const { project, nowMs, refreshMs, policy, recordsAt } = input
  const moves = new Set([refreshMs, ...recordsAt(refreshMs).reportMomentsOf(project)])
  const ahead = [...moves]
    .filter((ms) => ms > nowMs && ms <= LATEST_MS)
    .toSorted((one, other) => one - other)
  for (const [index, fromMs] of [nowMs, ...ahead].entries()) {
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
