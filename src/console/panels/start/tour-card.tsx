import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
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
} from './tours/tour-state.ts'
import type { ActiveTour } from './tours/tour-state.ts'

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

function UnderWay({ tour, plan: { project, steps }, seen, before }: ActiveTour) {
  const isOver = seen.length === steps.length
  const list = useRef<HTMLOListElement>(null)
  useLayoutEffect(() => {
    if (seen.length === 0) return
    const shown = list.current?.parentElement
    shown?.querySelector<HTMLElement>('.next button, .row .primary')?.focus()
    shown?.querySelector('li:last-child, .row')?.scrollIntoView({ block: 'nearest' })
  }, [seen.length])
  return (
    <Card
      title={tour.title}
      class="tours"
      aside={
        <span class="soft">{isOver ? 'Done' : `Step ${seen.length + 1} of ${steps.length}`}</span>
      }
    >
      {project && (
        <p class="note">
          In{' '}
          <a href={hrefWith({ panel: 'world', project: String(project.id) })}>
            <bdi>{project.name.slice(0, 120)}</bdi>
          </a>
          , project {project.id}
        </p>
      )}
      <ol ref={list}>
        {steps.slice(0, seen.length + 1).map(({ text, section, act, run }, index) => {
          const what = seen[index]
          return (
            <li key={run} class={what === undefined ? 'next' : undefined}>
              <p class={what === undefined ? undefined : 'soft'}>
                {text} <small class="soft">Section {section}</small>
              </p>
              {what === undefined ? (
                <Button variant="primary" onPress={goOn}>
                  {act}
                </Button>
              ) : (
                <p class="seen" role="status">
                  {what}
                </p>
              )}
            </li>
          )
        })}
      </ol>
      <div class="row">
        {isOver && (
          <span class="grow">
            The foot of the page has it as a test. Putting the world back empties the traffic.
          </span>
        )}
        {seen.length > 0 && (
          <Button variant={isOver ? 'primary' : 'quiet'} onPress={putWorldBack}>
            {before === null ? 'Reset the world' : 'Put the world back'}
          </Button>
        )}
        <Button variant="quiet" onPress={leaveTour}>
          {seen.length > 0 ? 'Leave, and keep the world as it is' : 'Leave the tour'}
        </Button>
      </div>
    </Card>
  )
}
