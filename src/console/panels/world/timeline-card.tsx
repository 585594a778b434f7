import { useMemo, useRef } from 'preact/hooks'
import { describeTimelineReport } from '../../../drawing/timeline.ts'
import type { DrawnTimeline } from '../../../drawing/timeline.ts'
import { toDay } from '../../../wording/times.ts'
import type { Explanation } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { timelineOf, TimelinePicture } from '../../parts/timeline-picture.tsx'
import { navigate } from '../../state/location.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { createNext, LAST_REPORT } from './move-report.ts'
import { Playhead, useLook } from './playhead.tsx'
import type { Preview } from './preview.ts'

interface TimelineCardProps {
  /** As it is now. */
  explanation: Explanation
  preview: Preview
  /** The id of the report that is selected. */
  selected: number | undefined
}

/** The reports of a project over the months, any day to be looked at, and the world clock to be dragged. */
export function TimelineCard({ explanation, preview, selected }: TimelineCardProps) {
  const previewMs = preview.atMs.value
  const isPinned = preview.isPinned.value
  const isDragged = isPinned && preview.heldBy === 'drag'
  const previewed = previewMs === null ? null : preview.explanation.value
  const nowMs = nowOf(explanation)
  // To the minute: no month shows a second, so drawing again for each would be wasted work.
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000
  const shown = useMemo(() => {
    const { compared, ...drawn } = timelineOf(previewed ?? explanation, {
      other: previewMs === null ? undefined : explanation,
      isPreview: true,
      ahead: explanation,
    })
    return {
      ...drawn,
      compared: compared && { ...compared, ms: minuteMs },
      playheadMs: previewMs ?? minuteMs,
      playheadLabel:
        toDay(previewMs ?? minuteMs) + (isDragged ? ': release to set the world clock' : ''),
      ...(selected !== undefined && { selected }),
    }
  }, [explanation, previewed, minuteMs, previewMs, selected, isDragged])
  const surface = useLook(preview, nowMs)
  const last = Math.max(...explanation.latest.candidates.map(({ report }) => report.report_number))
  return (
    <section class="card timeline" aria-label="Timeline">
      <TimelinePicture
        shown={shown}
        atMs={(isPinned ? previewMs : null) ?? nowMs}
        isStill={isPinned && preview.heldBy !== 'keys'}
        surface={surface}
      >
        {(timeline) => (
          <>
            <Bars timeline={timeline} selected={selected} />
            <Playhead preview={preview} scale={timeline.scale} nowMs={nowMs} />
          </>
        )}
      </TimelinePicture>
      <footer>
        {isPinned && previewMs !== null ? (
          <>
            <span>
              Preview of <b>{toDay(previewMs)}</b>
            </span>
            <span class="toolbar">
              <Button variant="primary" onPress={preview.commit}>
                Set the world clock
              </Button>
              <Button onPress={preview.cancel}>Back to now</Button>
            </span>
          </>
        ) : (
          <>
            <span class="soft small">
              <Hint
                isFinishing={shown.reports.some(({ finishesMs }) => finishesMs !== undefined)}
              />
            </span>
            {last < LAST_REPORT && (
              <Button onPress={() => createNext(explanation.project)}>
                Create report {last + 1}
              </Button>
            )}
          </>
        )}
      </footer>
    </section>
  )
}

/** What can be done here, and what the lines without a label mean. */
function Hint({ isFinishing }: { isFinishing: boolean }) {
  return (
    <>
      Point at a day, tap it or press ← → to preview it.
      {isFinishing && ' Dashed lines lead to when reports finish by themselves.'}
    </>
  )
}

/** A button over each report; up and down move between them, as left and right move the playhead. */
function Bars({
  timeline: { bars },
  selected,
}: {
  timeline: DrawnTimeline
  selected: number | undefined
}) {
  const list = useRef<HTMLDivElement>(null)
  const at = bars.findIndex(({ report }) => report.id === selected)
  const select = (index: number): void => {
    const bar = bars[index]
    if (bar) navigate({ report: String(bar.report.report_number) }, { replace: true })
  }
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const from = buttons.findIndex((button) => button === event.target)
    const index = Math.min(Math.max(from + step, 0), bars.length - 1)
    select(index)
    buttons[index]?.focus()
  }
  return (
    <div role="group" aria-label="Reports" ref={list} onKeyDown={move}>
      {bars.map(({ report, x, y, width, height }, index) => (
        <button
          key={report.id}
          type="button"
          class="report-bar"
          aria-label={describeTimelineReport(report)}
          title={describeTimelineReport(report)}
          aria-pressed={report.id === selected}
          tabIndex={index === Math.max(at, 0) ? 0 : -1}
          style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
          onClick={() => select(index)}
        />
      ))}
    </div>
  )
}

/**
 * The world clock as far as an explanation goes: a clock that was moved, or has come to the next change, has to be
 * explained again before anything shows it.
 */
function nowOf({ now, changes }: Explanation): number {
  const readMs = Date.parse(now)
  const { value } = clocks
  if (!value || value.isFrozen) return readMs
  const nextMs = changes[0] ? Date.parse(changes[0].at) : Infinity
  return Math.min(Math.max(value.worldMs, readMs), nextMs - 1)
}
