import { Play } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useMemo } from 'preact/hooks'
import { toMinute } from '../../../wording/times.ts'
import { mayWriteTests } from '../../frame/code-panel.tsx'
import { BeforeAfter } from '../../parts/before-after.tsx'
import { Button, Tile } from '../../parts/button.tsx'
import { withCode } from '../../parts/marked-text.tsx'
import { Section } from '../../parts/section.tsx'
import { timelineOf } from '../../parts/timeline-of.ts'
import { TimelinePicture } from '../../parts/timeline-picture.tsx'
import { hrefWith } from '../../state/location.ts'
import {
  beginTour,
  takeNextStep,
  leaveTour,
  restoreWorld,
  TOURS,
  unsuitable,
} from './tour-state.ts'
import type { ActiveTour, TourView } from './tour-state.ts'

export function TourTiles({ children }: { children?: ComponentChildren }) {
  return (
    <>
      <div class="columns tiles">
        {TOURS.map((tour) => (
          <Tile
            key={tour.id}
            icon={Play}
            action="Begin the tour:"
            title={tour.title}
            onPress={() => beginTour(tour)}
          >
            {withCode(tour.shows)} <span class="once">1 min</span>
          </Tile>
        ))}
        {children}
      </div>
      <Unsuitable />
    </>
  )
}

function Unsuitable() {
  const { value } = unsuitable
  return (
    <p role="status">
      {value && (
        <>
          {value.unsuitable} Load the scenario{' '}
          <a href={hrefWith({ panel: 'scenarios', search: value.scenario })}>{value.scenario}</a>.
        </>
      )}
    </p>
  )
}

export function TourCard({ tour, plan: { project, steps }, views, before }: ActiveTour) {
  const done = views.length - 1
  const step = steps[done]
  const controls = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    controls.current?.querySelector<HTMLElement>('.primary')?.focus({ preventScroll: true })
    controls.current?.parentElement?.scrollIntoView({ block: 'start' })
  }, [done])
  return (
    <Section
      title={
        <>
          {tour.title}
          {project && (
            <>
              {' · '}
              <a href={hrefWith({ panel: 'world', project: String(project.id) })}>
                <bdi>{project.name.slice(0, 120)}</bdi>
              </a>
            </>
          )}
        </>
      }
      class="tours beside stack"
      aside={<small class="soft">{step ? `Step ${done + 1} of ${steps.length}` : 'Done'}</small>}
    >
      <div class="stack next" ref={controls}>
        {step ? (
          <p class="lead">
            {step.text} <small class="soft once">Section {step.section}</small>
          </p>
        ) : (
          <p class="lead">
            That was the tour.
            {mayWriteTests() && ' As a test, at the foot, has it as code until you go back.'}
          </p>
        )}
        <div class="row">
          {step && (
            <Button variant="primary" icon={Play} onPress={takeNextStep}>
              {step.button}
            </Button>
          )}
          {done > 0 && (
            <Button variant={step ? 'quiet' : 'primary'} onPress={restoreWorld}>
              {before === null ? 'Reset the world' : 'Put the world back'}
            </Button>
          )}
          <Button variant="quiet" onPress={leaveTour}>
            {done > 0 ? 'Leave the tour, and keep the world' : 'Leave the tour'}
          </Button>
        </div>
        {done > 0 && (
          <p class="small soft">Going back discards all requests in Traffic, your own too.</p>
        )}
      </div>
      <StepOutcome views={views} />
    </Section>
  )
}

function StepOutcome({ views }: { views: readonly TourView[] }) {
  const view = views.at(-1)
  const { text, answer, beside, quota } = view?.seen ?? {}
  const before =
    beside ??
    views.slice(0, -1).findLast(({ seen }) => seen?.answer.endpoint === answer?.endpoint)?.seen
      ?.answer
  return (
    <>
      {view?.explanation && <Picture view={view} before={views.at(-2)} />}
      {quota && (
        <div class="row">
          <span class="meter">
            <span style={{ width: `${(quota.remaining / quota.limit) * 100}%` }} />
          </span>
          {quota.remaining} of {quota.limit} requests left this minute
        </div>
      )}
      <p class="seen" role="status">
        {text}
      </p>
      {answer && (
        <BeforeAfter
          label="What the API answers"
          before={
            before && {
              ...before,
              title: `${beside ? before.endpoint : 'Before'}: ${before.result}`,
            }
          }
          after={{ ...answer, title: `${beside ? answer.endpoint : 'Now'}: ${answer.result}` }}
          alwaysShown={answer.alwaysShown}
        />
      )}
    </>
  )
}

function Picture({ view, before }: { view: TourView; before: TourView | undefined }) {
  const { explanation, history, atMs } = view
  const shown = useMemo(
    () =>
      explanation &&
      history && {
        ...timelineOf(explanation, { other: before?.explanation, history }),
        playheadMs: atMs,
        playheadLabel: toMinute(atMs),
      },
    [view],
  )
  return shown && <TimelinePicture shown={shown} atMs={atMs} fromMs={before?.atMs} />
}
