import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/types.ts'
import { EmptyState, ErrorState } from '../../parts/empty-state.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { navigate } from '../../state/location.ts'
import { toLine } from './texts.ts'
import { usePages } from './use-pages.ts'

interface ProjectRow {
  id: number
  name: string
}

function toRow({ id, name }: RecordOf<'projects'>): ProjectRow {
  return { id, name: toLine(name) }
}

const COLUMNS: readonly Column<ProjectRow>[] = [
  { title: 'Project', cell: ({ name }) => <bdi>{name}</bdi> },
  { title: 'ID', width: '4.75rem', align: 'end', cell: ({ id }) => <span class="soft">{id}</span> },
]

/** How long after the last letter the search begins. */
const TYPING_MS = 150

/** The projects of the world, to choose one. */
export function ProjectList({ selected }: { selected: number | undefined }): JSX.Element {
  const [text, setText] = useState('')
  const search = useSettled(text.trim(), TYPING_MS)
  const { total, rowAt, view, error } = usePages('projects', { search }, toRow)
  return (
    <section class="projects" aria-label="Projects">
      <SearchField label="Search projects" value={text} onInput={setText} />
      {error !== undefined && total === undefined ? (
        <ErrorState message={error} />
      ) : total === 0 && search !== '' ? (
        <EmptyState title="No project is found">
          No name, domain or company has <bdi>“{toLine(search, 40)}”</bdi> in it.
        </EmptyState>
      ) : (
        <VirtualTable
          label="Projects"
          columns={COLUMNS}
          count={total ?? 12}
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

/** A value as it is when it has not changed for a while. */
function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), ms)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
