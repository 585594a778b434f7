import { useRef, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { RecordOf } from '../../api/types.ts'
import { EmptyState, ErrorState } from '../../parts/empty-state.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { pause } from '../../state/connection.ts'
import { navigate } from '../../state/location.ts'
import { useResource } from '../../state/resource.ts'
import { shorten } from '../../../wording/shorten.ts'
import { usePages } from '../../parts/use-pages.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { recordPages } from './record-pages.ts'
import { useReadAtChange } from './use-read-at-change.ts'

interface ProjectRow {
  id: number
  name: string
}

function toRow({ id, name }: RecordOf<'projects'>): ProjectRow {
  return { id, name: shorten(name) }
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
      if (!isKnown.current) await pause(SETTLING_MS)
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

/** How long after the last scrolling the server is asked. */
const SETTLING_MS = 150

/** The projects of the world, to choose one. */
export function ProjectList({ selected }: { selected: number | undefined }) {
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
          No name, domain or company has <bdi>“{shorten(search, 40)}”</bdi> in it.
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
