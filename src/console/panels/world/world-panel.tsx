import { useEffect, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Unread } from '../../parts/unread.tsx'
import { setCount } from '../../state/counts.ts'
import { query } from '../../state/location.ts'
import { takeSnapshot } from '../../state/put-back.ts'
import { useResource } from '../../state/resource.ts'
import { ProjectList } from './project-list.tsx'
import { ProjectView } from './project-view.tsx'
import './world.css'

/** Where the list and the project do not fit beside each other. */
const NARROW = matchMedia('(max-width: 860px)')

/** The projects of the world, and one of them: which of its reports is the latest, why, and until when. */
export function WorldPanel() {
  const isNarrow = useMatch(NARROW)
  const chosen = Number(query.value['project'])
  const list = useResource((signal) => api.list('projects', { limit: 1 }, signal), [])
  const { value } = list
  const total = value?.total
  useEffect(() => {
    if (total !== undefined) setCount('world', total)
  }, [total])
  if (!value) {
    return (
      <>
        <h1>World</h1>
        <Unread of={list} />
      </>
    )
  }
  const [first] = value.records
  if (!first) return <EmptyWorld />
  const isChosen = Number.isSafeInteger(chosen) && chosen > 0
  if (isNarrow && !isChosen) {
    return (
      <>
        <h1>Projects</h1>
        <div class="fill">
          <ProjectList selected={undefined} />
        </div>
      </>
    )
  }
  const project = isChosen ? chosen : first.id
  const view = <ProjectView key={project} project={project} hasBack={isNarrow} />
  if (isNarrow) return view
  return (
    <div class="world fill">
      <ProjectList selected={project} />
      {view}
    </div>
  )
}

function EmptyWorld() {
  return (
    <>
      <h1>World</h1>
      <EmptyState
        title="There are no projects"
        action={
          <div class="toolbar">
            <Button
              variant="primary"
              onPress={async () =>
                api.command(
                  { type: 'scenario.load', scenario: 'latest-rule-2' },
                  'Loaded the scenario latest-rule-2',
                  await takeSnapshot(),
                )
              }
            >
              Load a scenario with projects
            </Button>
            <Button
              onPress={async () =>
                api.command({ type: 'reset' }, 'Reset the world', await takeSnapshot())
              }
            >
              Reset the world
            </Button>
          </div>
        }
      >
        A scenario has some, and a reset restores what the world began with.
      </EmptyState>
    </>
  )
}

function useMatch(media: MediaQueryList): boolean {
  const [matches, setMatches] = useState(media.matches)
  useEffect(() => {
    const change = (): void => setMatches(media.matches)
    media.addEventListener('change', change)
    return () => media.removeEventListener('change', change)
  }, [])
  return matches
}
