import { useLayoutEffect, useRef, useMemo } from 'preact/hooks'
import { toMinute } from '../../../wording/times.ts'
import { BeforeAfter } from '../../parts/before-after.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { timelineOf, TimelinePicture } from '../../parts/timeline-picture.tsx'
import { currentWorld } from '../../state/current-world.ts'
import { hrefWith } from '../../state/location.ts'
import {
  beginTour,
  goOn,
  activeTour,
  leaveTour,
  putWorldBack,
  TOURS,
  unsuitable,
} from './tour-state.ts'
import type { ActiveTour, TourView } from './tour-state.ts'

/** Three tours of a minute each, or the one that is under way. */
export function TourCard() {
  const current = activeTour.value
  if (current?.world === currentWorld.value) return <UnderWay {...current} />
  return (
    <Card title="See it happen, in a minute each" class="tours">
      <ul>
        {TOURS.map((tour) => (
          <li key={tour.id}>
            <div>
              <h3>{tour.title}</h3>
              <p class="soft">{tour.shows}</p>
              <Unsuitable tour={tour.id} />
            </div>
            <Button onPress={() => beginTour(tour)} label={`Begin the tour: ${tour.title}`}>
              Begin
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Unsuitable({ tour }: { tour: string }) {
  const { value } = unsuitable
  if (value?.tour !== tour) return null
  return (
    <p role="status">
      {value.reason} Load the scenario{' '}
      <a href={hrefWith({ panel: 'scenarios', search: value.scenario })}>{value.scenario}</a>, which
      has what it takes.
    </p>
  )
}

function UnderWay({ tour, plan: { project, steps }, views, before }: ActiveTour) {
  const done = views.length - 1
  const step = steps[done]
  const exits = (
    <>
      {done > 0 && (
        <Button variant={step ? 'quiet' : 'primary'} onPress={putWorldBack}>
          {before === null ? 'Reset the world' : 'Put the world back'}
        </Button>
      )}
      <Button variant="quiet" onPress={leaveTour}>
        {done > 0 ? 'Leave, and keep the world as it is' : 'Leave the tour'}
      </Button>
    </>
  )
  const controls = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    controls.current?.querySelector<HTMLElement>('.primary')?.focus({ preventScroll: true })
    controls.current?.parentElement?.scrollIntoView({ block: 'start' })
  }, [done])
  return (
    <Card
      title={tour.title}
      class="tours"
      aside={<span class="soft">{step ? `Step ${done + 1} of ${steps.length}` : 'Done'}</span>}
    >
      <div class="next" ref={controls}>
        {step ? (
          <p>
            {step.text} <small class="soft">Section {step.section}</small>
          </p>
        ) : (
          <p>
            That was it. The foot of the page has it as a test. Putting the world back empties the
            traffic, also of your own requests.
          </p>
        )}
        <div class="toolbar">
          {step && (
            <Button variant="primary" onPress={goOn}>
              {step.button}
            </Button>
          )}
          {!step && exits}
        </div>
      </div>
      {project && (
        <p class="note">
          In{' '}
          <a href={hrefWith({ panel: 'world', project: String(project.id) })}>
            <bdi>{project.name.slice(0, 120)}</bdi>
          </a>
          , project {project.id}
        </p>
      )}
      <Stage views={views} />
      {step && <div class="row">{exits}</div>}
    </Card>
  )
}

/** Changes by the last step of a tour: in the picture, and in the answer of the API. */
function Stage({ views }: { views: readonly TourView[] }) {
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
function Picture({ view, before }: { view: TourView; before: TourView | undefined }) {
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
