import { useEffect, useMemo } from 'preact/hooks'
import { countGrouped } from '../../../wording/count.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { toLongMonth } from '../../../wording/times.ts'
import type { PositionHistory } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Disclosure } from '../../parts/section.tsx'
import { EmptyState, Skeleton } from '../../parts/placeholders.tsx'
import { hrefWith, navigate, query } from '../../state/location.ts'
import { useResource, useReadAt } from '../../state/resource.ts'
import { ContentCard } from './content-card.tsx'
import { createNext } from './move-report.ts'
import { createPreview } from './preview.ts'
import type { Preview } from './preview.ts'
import { readProject } from './read-project.ts'
import type { ReadProject } from './read-project.ts'
import { FieldList, ReportCard } from './report-card.tsx'
import { TimelineCard } from './timeline-card.tsx'
import { WhyCard } from './why-card.tsx'

/** Needs the project as its `key`, because the preview that it creates is for a single project. */
export function ProjectView({
  project,
  hasBack,
}: {
  project: number
  /** True to show a link back to the list of projects, which a narrow page shows separately. */
  hasBack: boolean
}) {
  const preview = useMemo(() => createPreview(project), [])
  useEffect(() => preview.cancel, [])
  const number = Number(query.value['report'] ?? 0) || 0
  const { value, error, isLate } = useResource(
    (signal) => readProject(project, number, signal),
    [],
    number,
  )
  useEffect(preview.refresh, [value])
  useReadAt(value?.explanation.changes[0]?.at)
  return (
    <div class="project" aria-busy={isLate}>
      {hasBack && <a href={hrefWith({ project: undefined, report: undefined })}>‹ All projects</a>}
      {error !== undefined && !value ? (
        <>
          <h1>Project {project}</h1>
          <EmptyState
            title="This project cannot be shown"
            action={
              <Button onPress={() => navigate({ project: undefined, report: undefined })}>
                Show another project
              </Button>
            }
          >
            {error}
          </EmptyState>
        </>
      ) : (
        <>
          <ProjectHead project={project} read={value} />
          {value ? <Reports read={value} preview={preview} /> : <Skeleton lines={9} />}
        </>
      )}
    </div>
  )
}

function Reports({ read, preview }: { read: ReadProject; preview: Preview }) {
  const { record, explanation, history, selected } = read
  const { project } = explanation
  if (!selected) {
    return (
      <EmptyState
        title="No reports yet"
        action={
          <Button variant="primary" onPress={() => createNext(project)}>
            Create report 1
          </Button>
        }
      >
        Both <code>/reports/latest</code> and <code>/reports/last-generated</code> are 404 until
        this project has one.
      </EmptyState>
    )
  }
  const { id } = selected.report
  return (
    <>
      <TimelineCard explanation={explanation} history={history} preview={preview} selectedId={id} />
      <WhyCard explanation={explanation} preview={preview} selectedId={id} />
      <ReportCard read={selected} projectStatus={record.status} explanation={explanation} />
      <ContentCard report={selected.report} positions={selected.positions} />
    </>
  )
}

function ProjectHead({ project, read }: { project: number; read: ReadProject | undefined }) {
  const path = (
    <>
      <code>/projects/{project}</code>
      <CopyButton text={`/api/v1/projects/${project}`} name="the path" />
    </>
  )
  if (!read) {
    return (
      <>
        <h1>Project {project}</h1>
        <p class="sub">{path}</p>
      </>
    )
  }
  const { record, names, keywords, positions } = read
  const { agency, text_language: language } = names
  const domain = record.domain?.replace(/^https?:\/\/(?=.)/, '')
  const facts = [domain, agency, language, keywords > 0 && countGrouped(keywords, 'keyword')]
  return (
    <>
      <h1>
        <bdi>{fitOnLine(record.name, 120)}</bdi>
      </h1>
      <div class="sub">
        {facts.map(
          (fact, index) =>
            fact && (
              <span key={index}>
                <bdi>{fitOnLine(fact, 80)}</bdi> ·{' '}
              </span>
            ),
        )}
        {path}
        <Disclosure
          summary={`All ${countGrouped(Object.keys(record).length, 'field')} of the project`}
        >
          <FieldList record={record} names={names} />
        </Disclosure>
      </div>
      {positions && <Story positions={positions} />}
    </>
  )
}

const LAST_OF_FIRST_PAGE = 10

/**
 * Summary of the known positions: the number of keywords on the first page now and in the first known month, and the largest
 * rise. Renders nothing if the current positions are unknown.
 */
function Story({ positions: { months, keywords } }: { positions: PositionHistory }) {
  const active = keywords.filter((keyword) => keyword.active)
  const columns = months.map((_, month) => active.map(({ positions }) => positions[month] ?? null))
  const last = columns.at(-1) ?? []
  if (!isKnown(last)) return null
  const first = columns.findIndex(isKnown)
  const [is, was] = [countFirstPage(last), countFirstPage(columns[first] ?? [])]
  const month = months[first] ?? ''
  // A keyword without a position counts only if it was created in an earlier month, as in the overview.
  const tracked = active.filter(
    ({ create_date, positions }) => positions[first] !== null || create_date.slice(0, 7) < month,
  ).length
  const rise = active
    .map(({ keyword, positions }) => {
      const from = positions.find((position) => position !== null) ?? 0
      return { keyword, from, to: positions.at(-1) ?? from }
    })
    .reduce((largest, each) => (each.from - each.to > largest.from - largest.to ? each : largest))
  return (
    <p class="lead">
      <b>
        {is || 'None'} of{' '}
        {countGrouped(
          active.length,
          active.length === keywords.length ? 'keyword' : 'active keyword',
        )}
      </b>{' '}
      on the first page
      {first < months.length - 1 &&
        `; ${was || 'none'} of ${tracked} in ${toLongMonth(month)}`}.{' '}
      {rise.from > rise.to && (
        <>
          Largest rise: <bdi>{fitOnLine(rise.keyword, 80)}</bdi>, from {rise.from} to {rise.to}.
        </>
      )}
    </p>
  )
}

function isKnown(positions: readonly (number | null)[]): boolean {
  return positions.some((position) => position !== null)
}

function countFirstPage(positions: readonly (number | null)[]): number {
  return positions.filter((position) => position !== null && position <= LAST_OF_FIRST_PAGE).length
}
