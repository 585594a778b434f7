import { useEffect, useMemo } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { hrefWith, navigate, query } from '../../state/location.ts'
import { useResource } from '../../state/resource.ts'
import { createPreview } from './preview.ts'
import type { Preview } from './preview.ts'
import { ProjectHead } from './project-head.tsx'
import { ContentCard } from './content-card.tsx'
import { readProject } from './read-project.ts'
import type { ReadProject } from './read-project.ts'
import { ReportCard } from './report-card.tsx'
import { createNext } from './report-steps.ts'
import { TimelineCard } from './timeline-card.tsx'
import { useReadAtChange } from './use-read-at-change.ts'
import { WhyCard } from './why-card.tsx'

/** One project. It is created again for another one. */
export function ProjectView({
  project,
  hasBack,
}: {
  project: number
  /** Whether the list of projects is a view of its own, which a link goes back to. */
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
  useReadAtChange(value?.explanation)
  return (
    <div class="project" aria-busy={isLate}>
      {hasBack && (
        <a class="back" href={hrefWith({ project: undefined, report: undefined })}>
          ← All projects
        </a>
      )}
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

/** Its reports over the months, why the endpoints return what they return, and the report that is selected. */
function Reports({ read, preview }: { read: ReadProject; preview: Preview }) {
  const { explanation, selected } = read
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
      <TimelineCard explanation={explanation} preview={preview} selected={id} />
      <div class="two">
        <WhyCard explanation={explanation} preview={preview} selected={id} />
        <ReportCard read={selected} changes={explanation.changes} />
      </div>
      <ContentCard report={selected.report} />
    </>
  )
}
