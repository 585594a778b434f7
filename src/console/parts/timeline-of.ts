import type { Span } from '../../drawing/timeline.ts'
import type { Explanation } from '../api/types.ts'

type Candidate = Explanation['latest']['candidates'][number]['report']

export interface TimelineReport extends Candidate {
  /**
   * Time at which the report completes by itself, in epoch milliseconds; undefined if the report is completed, or does not
   * complete within the explained changes.
   */
  finishesMs?: number | undefined
  /** True if the status of the report differs from its status at the compared moment. */
  isChanged: boolean
}

/** A period in which an endpoint returns the report with `number`, or a 404 if `number` is null. */
export interface AnswerSpan extends Span {
  number: number | null
}

export const LANES = { latest: 'latest', last_generated: 'last-generated' } as const
export type LaneName = keyof typeof LANES
export const ENDPOINTS: readonly LaneName[] = ['latest', 'last_generated']

/** Contents of a timeline. Create the object with `useMemo`, because each new object causes a new layout. */
export interface ShownTimeline {
  reports: readonly TimelineReport[]
  answers: Readonly<Record<LaneName, readonly AnswerSpan[]>>
  /** Time of the playhead: the world clock or a previewed time, in epoch milliseconds. */
  playheadMs: number
  playheadLabel: string
  compared?: Compared | undefined
}

export interface Compared {
  /** In epoch milliseconds. */
  ms: number
  /** Numbers of the reports that the endpoints return at this moment; null for a 404. */
  answers: Readonly<Record<LaneName, number | null>>
  /** True if the world clock is at this moment and the playhead at another; false if the clock has left this moment. */
  isNow: boolean
}

interface ComparisonOptions {
  /** Another moment of the project to compare with; null or omitted for no comparison. */
  other?: Explanation | null | undefined
  /** True if the world clock is at `other`, so that the drawn moment is a preview. */
  isPreview?: boolean
  /**
   * Explanation of an earlier moment, with all changes since. If omitted, the answers come from `other` and the drawn moment
   * alone.
   */
  history?: Explanation
}

/** Returns the reports of a project at a moment as a timeline, marked with the differences from another moment. */
export function timelineOf(
  shown: Explanation,
  { other, isPreview = false, history }: ComparisonOptions = {},
): Pick<ShownTimeline, 'reports' | 'answers' | 'compared'> {
  const moments = history ? [history] : [...(other ? [other] : []), shown]
  const finishing = finishesOf(history ?? shown)
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
      latest: answersOf('latest', moments, shown),
      last_generated: answersOf('last_generated', moments, shown),
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

/** Returns the answers of an endpoint from the first moment on. Each explanation applies until the next moment. */
function answersOf(
  endpoint: LaneName,
  moments: readonly Explanation[],
  { latest: { candidates } }: Explanation,
): AnswerSpan[] {
  const numbers = new Map(candidates.map(({ report }) => [report.id, report.report_number]))
  for (const { changes, ...moment } of moments) {
    for (const { report } of moment.latest.candidates) numbers.set(report.id, report.report_number)
    for (const { reports } of changes) {
      for (const { id, report_number } of reports) numbers.set(id, report_number)
    }
  }
  const answers: (AnswerSpan & { id: number | null })[] = []
  for (const [index, { at, changes, [endpoint]: selection }] of moments.entries()) {
    const end = moments[index + 1]?.at
    const endMs = end === undefined ? FOREVER_MS : Date.parse(end)
    const first = { at, id: selection.selected?.id ?? null }
    for (const answer of [
      first,
      ...changes.map((change) => ({ at: change.at, id: change[endpoint] })),
    ]) {
      const { id } = answer
      const fromMs = Date.parse(answer.at)
      const last = answers.at(-1)
      if (fromMs >= endMs || last?.id === id) continue
      if (last) last.untilMs = fromMs
      const number = id === null ? null : (numbers.get(id) ?? null)
      answers.push({ id, number, fromMs, untilMs: FOREVER_MS })
    }
  }
  return answers
}

/** Returns the times at which reports complete by themselves, in epoch milliseconds, by report id. */
function finishesOf({ changes }: Explanation): ReadonlyMap<number, number> {
  const moments = new Map<number, number>()
  for (const { at, reports } of changes) {
    for (const { id, status } of reports) {
      // Later changes of a completed report repeat that status.
      if (status !== 'completed') moments.delete(id)
      else if (!moments.has(id)) moments.set(id, Date.parse(at))
    }
  }
  return moments
}
