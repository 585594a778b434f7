import { useMemo } from 'preact/hooks'
import { BeforeAfter } from '../../parts/before-after.tsx'
import { timelineOf } from '../../parts/timeline-of.ts'
import { TimelinePicture } from '../../parts/timeline-picture.tsx'
import { toMinute } from '../../../wording/times.ts'
import type { View } from './tour-state.ts'

/** What the last step of a tour has changed: in the picture, and in the answer of the API. */
export function Stage({ views }: { views: readonly View[] }) {
  const view = views.at(-1)
  const { text, answer, beside, left } = view?.seen ?? {}
  const before = views.slice(0, -1).findLast(({ seen }) => seen?.answer.of === answer?.of)
    ?.seen?.answer
  return (
    <>
      {view?.explanation && <Picture view={view} before={views.at(-2)} />}
      {left && (
        <p class="note">
          <meter aria-label="Requests left this minute" max={left.limit} value={left.remaining} />{' '}
          {left.remaining} of {left.limit} requests left this minute
        </p>
      )}
      <p class="seen note" role="status">
        {text}
      </p>
      {answer && (
        <BeforeAfter
          label="What the API answers"
          {...(beside
            ? {
                before: { ...beside, title: `${beside.of}: ${beside.is}` },
                after: { ...answer, title: `${answer.of}: ${answer.is}` },
              }
            : {
                before: before && { ...before, title: `Before: ${before.is}` },
                after: { ...answer, title: `Now: ${answer.is}` },
              })}
          main={answer.main}
        />
      )}
    </>
  )
}

/** The reports of the project, with what the step has moved. */
function Picture({ view, before }: { view: View; before: View | undefined }) {
  const { explanation, atMs } = view
  const shown = useMemo(
    () =>
      explanation && {
        ...timelineOf(explanation, { other: before?.explanation }),
        playheadMs: atMs,
        playheadLabel: toMinute(atMs),
      },
    [view],
  )
  if (!shown) return null
  return (
    <div class="timeline">
      <TimelinePicture shown={shown} atMs={atMs} fromMs={before?.atMs} />
    </div>
  )
}
