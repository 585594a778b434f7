import type { MAXIMUM_CHANGES } from '../../contract/limits.ts'
import { monthAt, startOf } from '../../drawing/month-scale.ts'
import { dueMs } from '../../drawing/timeline.ts'
import type { Span } from '../../drawing/timeline.ts'
import type { Explanation } from '../api/types.ts'

type Candidate = Explanation['latest']['candidates'][number]['report']

export interface TimelineReport extends Candidate {
  /**
   * Time at which the report completes by itself, in epoch milliseconds; undefined if the report is completed, or does not
   * complete within the changes in `history`.
   */
  finishesMs?: number | undefined
  /** True if the report had another status at the compared moment, or did not exist then. */
  isChanged: boolean
}

/** A period in which an endpoint returns the report with `number`, or a 404 if `number` is null. */
export interface AnswerSpan extends Span {
  number: number | null
}

export const LANES = { latest: 'latest', last_generated: 'last-generated' } as const
export type LaneName = keyof typeof LANES
export const ENDPOINTS: readonly LaneName[] = ['latest', 'last_generated']

/** Contents of a timeline. Create `reports` and `answers` with `useMemo`, because new objects cause a new layout. */
export interface ShownTimeline {
  reports: readonly TimelineReport[]
  answers: Readonly<Record<LaneName, readonly AnswerSpan[]>>
  /** Time of the playhead: the world clock or a previewed time, in epoch milliseconds. */
  playheadMs: number
  playheadLabel: string
  compared?: Compared | undefined
}

export interface Compared {
  /** Time of the compared moment, in epoch milliseconds. */
  ms: number
  /** Numbers of the reports that the endpoints return at this moment; null for a 404. */
  answers: Readonly<Record<LaneName, number | null>>
  /** True if the world clock is at this moment, so that the playhead shows a preview; false if the world clock has left it. */
  isNow: boolean
}

/** The maximum of the control API, so that the timeline shows as many answers as possible. */
const CHANGES: typeof MAXIMUM_CHANGES = 500

const MONTHS_BACK = 72

/**
 * Returns the query for the state of a project at the start of the month of its first report, but at most `MONTHS_BACK` months
 * ago, with up to `CHANGES` changes since.
 */
export function historyQuery({ now, latest: { candidates } }: Explanation): {
  at: string
  changes: number
} {
  const month = monthAt(Date.parse(now))
  const first = Math.min(month, ...candidates.map(({ report }) => monthAt(dueMs(report))))
  const at = new Date(startOf(Math.max(first, month - MONTHS_BACK, 12))).toISOString()
  return { at, changes: CHANGES }
}

interface ComparisonOptions {
  /** Another moment of the project to compare with; null or omitted for no comparison. */
  other?: Explanation | null | undefined
  /** True if the world clock is at `other`, so that the drawn moment is a preview. */
  isPreview?: boolean
  /** Explanation at an earlier moment, as read with `historyQuery`. */
  history: Explanation
}

/** Returns the reports and answers of a project at a moment, with the differences from another moment marked. */
export function timelineOf(
  shown: Explanation,
  { other, isPreview = false, history }: ComparisonOptions,
): Pick<ShownTimeline, 'reports' | 'answers' | 'compared'> {
  const finishing = finishesOf(history)
  const before = other?.latest.candidates
  return {
    reports: shown.latest.candidates.map(({ report }) => ({
      ...report,
      finishesMs: report.status === 'completed' ? undefined : finishing.get(report.id),
      isChanged:
        before !== undefined &&
        before.find((each) => each.report.id === report.id)?.report.status !== report.status,
    })),
    answers: {
      latest: answersOf('latest', history, shown),
      last_generated: answersOf('last_generated', history, shown),
    },
    compared: other
      ? {
          ms: Date.parse(other.at),
          answers: {
            latest: other.latest.selected?.report_number ?? null,
            last_generated: other.last_generated.selected?.report_number ?? null,
          },
          isNow: isPreview,
        }
      : undefined,
  }
}

export const FOREVER_MS = Date.UTC(9999, 11, 31)

/** Returns the answers of an endpoint since the beginning of a history, with equal consecutive answers as one. */
function answersOf(
  endpoint: LaneName,
  { at, changes, [endpoint]: selection, latest }: Explanation,
  shown: Explanation,
): AnswerSpan[] {
  const reports = [
    ...[...shown.latest.candidates, ...latest.candidates].map(({ report }) => report),
    ...changes.flatMap((change) => change.reports),
  ]
  const numbers = new Map(reports.map(({ id, report_number }) => [id, report_number]))
  const answers: (AnswerSpan & { id: number | null })[] = []
  for (const answer of [
    { at, id: selection.selected?.id ?? null },
    ...changes.map((change) => ({ at: change.at, id: change[endpoint] })),
  ]) {
    const { id } = answer
    const fromMs = Date.parse(answer.at)
    const last = answers.at(-1)
    if (last?.id === id) continue
    if (last) last.untilMs = fromMs
    const number = id === null ? null : (numbers.get(id) ?? null)
    answers.push({ id, number, fromMs, untilMs: FOREVER_MS })
  }
  return answers
}

/** Returns the times at which reports complete by themselves, in epoch milliseconds, by report id. */
function finishesOf({ changes }: Explanation): ReadonlyMap<number, number> {
  const moments = new Map<number, number>()
  for (const { at, reports } of changes) {
    for (const { id, status } of reports) {
      // Only the first change to `completed` matters, because later changes of the report repeat the status.
      if (status !== 'completed') moments.delete(id)
      else if (!moments.has(id)) moments.set(id, Date.parse(at))
    }
  }
  return moments
}
