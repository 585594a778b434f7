import { Plus } from 'lucide'
import { useMemo } from 'preact/hooks'
import { toDay, toDayOfYear } from '../../../wording/times.ts'
import type { Explanation } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { timelineOf } from '../../parts/timeline-of.ts'
import { TimelinePicture } from '../../parts/timeline-picture.tsx'
import { navigate } from '../../state/location.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { createNext, LAST_REPORT } from './move-report.ts'
import { Playhead, usePointerPreview } from './playhead.tsx'
import type { Preview } from './preview.ts'
import type { ReadProject } from './read-project.ts'

interface TimelineCardProps extends Pick<ReadProject, 'explanation' | 'history'> {
  preview: Preview
  selectedId: number
}

export function TimelineCard({ explanation, history, preview, selectedId }: TimelineCardProps) {
  const previewMs = preview.atMs.value
  const isPinned = preview.isPinned.value
  const previewed = previewMs === null ? null : preview.explanation.value
  const nowMs = nowOf(explanation)
  // Rounded down to the minute, because redrawing each second would change nothing visible.
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000
  const drawn = useMemo(
    () =>
      timelineOf(previewed ?? explanation, {
        other: previewMs === null ? undefined : explanation,
        isPreview: true,
        history,
      }),
    [explanation, previewed, previewMs === null, history],
  )
  const shown = useMemo(
    () => ({
      ...drawn,
      compared: drawn.compared && { ...drawn.compared, ms: minuteMs },
      playheadMs: previewMs ?? minuteMs,
      playheadLabel: toDayOfYear(previewMs ?? minuteMs),
    }),
    [drawn, minuteMs, previewMs],
  )
  const surface = usePointerPreview(preview, nowMs)
  const last = Math.max(...explanation.latest.candidates.map(({ report }) => report.report_number))
  return (
    <section aria-label="Timeline">
      <TimelinePicture
        shown={shown}
        atMs={(isPinned ? previewMs : null) ?? nowMs}
        isStill={isPinned && preview.heldBy !== 'keys'}
        selectedId={selectedId}
        onSelect={({ report_number }) =>
          navigate({ report: String(report_number) }, { replace: true })
        }
        surface={surface}
      >
        {({ scale }) => <Playhead preview={preview} scale={scale} nowMs={nowMs} />}
      </TimelinePicture>
      <div class="row hint">
        {isPinned && previewMs !== null ? (
          <>
            <span>
              {preview.heldBy === 'drag' ? 'Release to set the world clock to' : 'Preview of'}{' '}
              <b>{toDay(previewMs)}</b>
            </span>
            <Button onPress={preview.commit}>Set the world clock</Button>
            <Button onPress={preview.cancel}>Back to now</Button>
          </>
        ) : (
          <>
            <small class="soft">
              Point at a day, tap it
              <span class="keys">
                {' '}
                or press <kbd>←</kbd> <kbd>→</kbd>
              </span>{' '}
              to preview it. Dashed: what comes if nothing is changed.
            </small>
            {last < LAST_REPORT && (
              <Button icon={Plus} onPress={() => createNext(explanation.project)}>
                Create report {last + 1}
              </Button>
            )}
          </>
        )}
      </div>
    </section>
  )
}

/**
 * Returns the world time in epoch milliseconds, limited to the period for which the explanation is valid, which ends at the first
 * of its changes.
 */
function nowOf({ now, changes }: Explanation): number {
  const readMs = Date.parse(now)
  const { value } = clocks
  if (!value || value.isFrozen) return readMs
  const nextMs = changes[0] ? Date.parse(changes[0].at) : Infinity
  return Math.min(Math.max(value.worldMs, readMs), nextMs - 1)
}
