import { useEffect, useState, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState, Unread, ErrorState } from '../../parts/placeholders.tsx'
import { setCount, query, navigate } from '../../state/location.ts'
import { readSnapshot } from '../../state/put-back.ts'
import { useResource, useReadAtChange } from '../../state/resource.ts'
import { ProjectView } from './project-view.tsx'
import './world.css'
import type { RecordOf } from '../../api/types.ts'
import { SearchField } from '../../parts/form-fields.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { StateWord } from '../../parts/marked-text.tsx'
import { sleep } from '../../api/transport.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { usePages, useSettled, recordPages } from '../../parts/use-pages.ts'

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
                  await readSnapshot(),
                )
              }
            >
              Load a scenario with projects
            </Button>
            <Button
              onPress={async () =>
                api.command({ type: 'reset' }, 'Reset the world', await readSnapshot())
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

interface ProjectRow {
  id: number
  name: string
}

function toRow({ id, name }: RecordOf<'projects'>): ProjectRow {
  return { id, name: fitOnLine(name) }
}

const COLUMNS: readonly Column<ProjectRow>[] = [
  {
    title: 'Project and its latest report',
    cell: ({ id, name }) => (
      <>
        <bdi>{name}</bdi>
        <Latest project={id} />
      </>
    ),
  },
  { title: 'ID', width: '4.75rem', align: 'end', cell: ({ id }) => <span class="soft">{id}</span> },
]

/** The report that `/reports/latest` returns. */
function Latest({ project }: { project: number }) {
  const isKnown = useRef(false)
  const { value } = useResource(
    async (signal) => {
      // Rows that are scrolled past are not asked about.
      if (!isKnown.current) await sleep(SETTLING_MS)
      signal.throwIfAborted()
      isKnown.current = true
      return api.get(`/explain/projects/${project}`, { changes: 1 }, signal)
    },
    [project],
  )
  useReadAtChange(value)
  const selected = value?.latest.selected
  return (
    <small class="soft">
      {selected ? (
        <StateWord state={selected.status}>
          {selected.report_number} {selected.status}
        </StateWord>
      ) : (
        value && 'none'
      )}
    </small>
  )
}

/** Delay between the last scrolling and the request to the server, in milliseconds. */
const SETTLING_MS = 150

/** The projects of the world, to choose one. */
function ProjectList({ selected }: { selected: number | undefined }) {
  const [text, setText] = useState('')
  const search = useSettled(text.trim())
  const { total, rowAt, view, error } = usePages(recordPages('projects', { search }, toRow), [
    search,
  ])
  return (
    <section class="projects" aria-label="Projects">
      <SearchField label="Search projects" value={text} onInput={setText} />
      {error !== undefined && total === undefined ? (
        <ErrorState message={error} />
      ) : total === 0 && search !== '' ? (
        <EmptyState title="No project is found">
          No name, domain or company has <bdi>“{fitOnLine(search, 40)}”</bdi> in it.
        </EmptyState>
      ) : (
        <VirtualTable
          label="Projects"
          columns={COLUMNS}
          count={total ?? 12}
          rowHeight={52}
          rowAt={rowAt}
          keyOf={({ id }) => id}
          selected={selected}
          onSelect={({ id }) => navigate({ project: String(id), report: undefined })}
          onView={view}
        />
      )}
    </section>
  )
}
