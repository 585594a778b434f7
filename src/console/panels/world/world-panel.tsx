import { useEffect, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState, Unread, ErrorState } from '../../parts/placeholders.tsx'
import { hrefWith, query, navigate } from '../../state/location.ts'
import { readSnapshot } from '../../state/replace-world.ts'
import { agencyRead, needingAttention } from '../../state/agency.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { useResource, useReadAt } from '../../state/resource.ts'
import { ProjectView } from './project-view.tsx'
import './world.css'
import type { Explanation, RecordOf } from '../../api/types.ts'
import { countGrouped } from '../../../wording/count.ts'
import { daysLate } from '../../../wording/times.ts'
import { SearchField } from '../../parts/form-fields.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import type { Column } from '../../parts/virtual-table.tsx'
import { STATE_WORDS, StateWord } from '../../parts/marked-text.tsx'
import { sleep } from '../../api/transport.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { usePages, useSettled, recordPages, SETTLING_MS } from '../../parts/use-pages.ts'

/** Matches a page too narrow for the list and the project side by side. */
const NARROW = matchMedia('(max-width: 860px)')

export function WorldPanel() {
  const isNarrow = useIsNarrow()
  const chosen = Number(query.value['project'])
  const list = useResource((signal) => api.list('projects', { limit: 1 }, signal), [])
  const { value } = list
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
  const scenario = 'latest-rule-2'
  const load = async () =>
    api.command(
      { type: 'scenario.load', scenario },
      `Loaded the scenario ${scenario}`,
      await readSnapshot(),
    )
  const reset = async () => api.command({ type: 'reset' }, 'Reset the world', await readSnapshot())
  return (
    <>
      <h1>World</h1>
      <EmptyState
        title="There are no projects"
        action={
          <div class="row">
            <Button variant="primary" onPress={load}>
              Load a scenario with projects
            </Button>
            <Button onPress={reset}>Reset the world</Button>
          </div>
        }
      >
        A scenario has some, and a reset restores what the world began with.
      </EmptyState>
    </>
  )
}

function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(NARROW.matches)
  useEffect(() => {
    const change = (): void => setNarrow(NARROW.matches)
    NARROW.addEventListener('change', change)
    return () => NARROW.removeEventListener('change', change)
  }, [])
  return isNarrow
}

type ReportSummary = NonNullable<Explanation['latest']['selected']>

type ProjectRow = Pick<RecordOf<'projects'>, 'id' | 'name' | 'status'>

function toRow({ id, name, status }: RecordOf<'projects'>): ProjectRow {
  return { id, name: fitOnLine(name, 120), status }
}

function columnsFor(total: number | undefined): readonly Column<ProjectRow>[] {
  return [
    {
      title: total === undefined ? 'Projects' : `All ${countGrouped(total, 'project')}`,
      cell: ({ id, name, status }) => (
        <>
          <span class="name">
            <bdi>{name}</bdi>
          </span>
          <small class="soft">
            <LatestReport project={id} status={status} /> {id}
          </small>
        </>
      ),
    },
  ]
}

function LatestReport({ project, status }: { project: number; status: string }) {
  const { value: agency, error } = agencyRead.value
  const listed = agency?.overview?.projects.find(({ id }) => id === project)
  const isRead = !listed && (agency ?? error) !== undefined
  const { value } = useResource(
    async (signal) => {
      // The overview of the agency has the report already.
      if (!isRead) return
      // Rows that only scroll past must send no requests.
      await sleep(SETTLING_MS)
      signal.throwIfAborted()
      return api.get(`/explain/projects/${project}`, { changes: 1 }, signal)
    },
    [project, isRead],
  )
  useReadAt(value?.changes[0]?.at)
  const selected = listed ? listed.latest : value?.latest.selected
  if (selected === undefined) return <span />
  if (!selected) return <span>No latest report</span>
  // No report is due while the project is inactive, so the status of the project is shown.
  if (status !== 'active') {
    return (
      <StateWord state="pending">
        Report {selected.report_number} · {fitOnLine(status, 40)}
      </StateWord>
    )
  }
  const { wait } = listed?.latest ?? value!
  return <ReportState {...selected} isWaiting={wait !== null} />
}

interface ReportStateProps extends Pick<
  ReportSummary,
  'report_number' | 'status' | 'date_to_create_texts'
> {
  /** True if the report is not completed a day after its date. Ignored for a failed report. */
  isWaiting: boolean
}

/** A report with its state: `Report 18 · completed`, `Report 11 · 12 days late`. */
function ReportState(props: ReportStateProps) {
  const { report_number, status, date_to_create_texts: due, isWaiting } = props
  const isLate = isWaiting && status !== 'failed' && due !== null
  return (
    <StateWord state={isLate ? 'late' : status}>
      Report {report_number} ·{' '}
      {isLate
        ? `${countGrouped(daysLate(due, clocks.value?.worldMs ?? 0), 'day')} late`
        : STATE_WORDS[status]}
    </StateWord>
  )
}

function ProjectList({ selected }: { selected: number | undefined }) {
  const [text, setText] = useState('')
  const search = useSettled(text.trim())
  const { total, rowAt, view, error } = usePages(recordPages('projects', { search }, toRow), [
    search,
  ])
  return (
    <section class="projects" aria-label="Projects">
      <SearchField label="Search projects" value={text} onInput={setText} />
      {search === '' && <NeedAttention selected={selected} />}
      {error !== undefined && total === undefined ? (
        <ErrorState message={error} />
      ) : total === 0 && search !== '' ? (
        <EmptyState title="No project is found">
          No name, domain or company has <bdi>“{fitOnLine(search, 40)}”</bdi> in it.
        </EmptyState>
      ) : (
        <VirtualTable
          label="Projects"
          columns={columnsFor(total)}
          count={total ?? 12}
          rowHeight={ROW_HEIGHT}
          rowAt={rowAt}
          keyOf={({ id }) => id}
          selected={selected}
          onSelect={({ id }) =>
            navigate({ project: String(id), report: undefined, keyword: undefined })
          }
          onView={view}
        />
      )}
    </section>
  )
}

/** Height of a row in pixels: two lines for the name, and one for the report. */
const ROW_HEIGHT = 56

const MAXIMUM_LISTED = 3

function NeedAttention({ selected }: { selected: number | undefined }) {
  const { overview, agencies = [], agency } = agencyRead.value.value ?? {}
  const projects = needingAttention(overview?.projects ?? [])
  if (projects.length === 0) return null
  return (
    <nav class="attention" aria-label="Needs attention">
      <h2 class="small soft">
        {countGrouped(projects.length, 'needs', 'need')} attention
        {agencies.length > 1 && agency && (
          <>
            {' '}
            in <bdi>{fitOnLine(agency.name, 60)}</bdi>
          </>
        )}
      </h2>
      <ul>
        {projects.slice(0, MAXIMUM_LISTED).map(({ id, name, health, latest }) => (
          <li key={id}>
            <a
              href={hrefWith({ project: String(id), report: undefined, keyword: undefined })}
              aria-current={id === selected}
            >
              <span class="name">
                <bdi>{fitOnLine(name, 120)}</bdi>
              </span>
              <small class="soft">
                {latest && <ReportState {...latest} isWaiting={health === 'late'} />} {id}
              </small>
            </a>
          </li>
        ))}
      </ul>
      {projects.length > MAXIMUM_LISTED && (
        <a class="small" href={hrefWith({ panel: 'overview' })}>
          {projects.length - MAXIMUM_LISTED} more in Overview
        </a>
      )}
    </nav>
  )
}
