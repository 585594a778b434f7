import type { Compared } from '../../drawing/layout.ts'
import type { Explanation } from '../api/types.ts'
import type { Shown } from './timeline-picture.tsx'

interface Beside {
  /** Another moment of the project, where the two are compared. */
  other?: Explanation | null | undefined
  /** Whether the world clock stands at that one, and what is drawn is a preview. */
  isPreview?: boolean
  /** What has the changes by time to come; what is drawn where omitted. */
  ahead?: Explanation
}

/** The reports of a project at a moment, as a timeline shows them, with what differs from another moment. */
export function timelineOf(
  shown: Explanation,
  { other, isPreview = false, ahead = shown }: Beside = {},
): Pick<Shown, 'reports' | 'latest' | 'lastGenerated' | 'changes' | 'compared'> {
  const finishing = finishesOf(ahead)
  const before = other?.latest.candidates
  return {
    reports: shown.latest.candidates.map(({ report }) => ({
      ...report,
      finishesMs: report.status === 'completed' ? undefined : finishing.get(report.id),
      isChanged:
        before !== undefined &&
        before.find((one) => one.report.id === report.id)?.report.status !== report.status,
    })),
    ...selectedIn(shown),
    changes: changesOf(shown),
    compared: other ? toCompared(other, isPreview) : undefined,
  }
}

function toCompared(other: Explanation, isInForce: boolean): Compared {
  return { ms: Date.parse(other.at), ...selectedIn(other), isInForce }
}

function selectedIn({ latest, last_generated }: Explanation) {
  return {
    latest: latest.selected?.id ?? null,
    lastGenerated: last_generated.selected?.id ?? null,
  }
}

/** When time completes each report, by its id. */
function finishesOf({ changes }: Explanation): ReadonlyMap<number, number> {
  const moments = new Map<number, number>()
  for (const { at, reports } of changes) {
    for (const { id, status } of reports) {
      if (status === 'completed' && !moments.has(id)) moments.set(id, Date.parse(at))
    }
  }
  return moments
}

/** When another report takes the place of what the two endpoints return. */
function changesOf({ latest, last_generated }: Explanation): { ms: number; text: string }[] {
  return [
    { change: latest.next_selection, text: 'latest changes' },
    { change: last_generated.next_selection, text: 'last generated changes' },
  ].flatMap(({ change, text }) => (change ? [{ ms: Date.parse(change.at), text }] : []))
}
