import { useEffect, useMemo } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { Explanation } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { hrefWith, navigate, query } from '../../state/location.ts'
import { useResource } from '../../state/resource.ts'
import { createPreview } from './preview.ts'
import type { Preview } from './preview.ts'
import { ProjectHead } from './project-head.tsx'
import { ContentCard } from './content-card.tsx'
import { ReportCard } from './report-card.tsx'
import { createNext } from './report-steps.ts'
import { TimelineCard } from './timeline-card.tsx'
import { useReadAtChange } from './use-read-at-change.ts'
import { useReport } from './use-report.ts'
import { WhyCard } from './why-card.tsx'

/** So many changes ahead have the moments at which reports finish; a report has four of them. */
const AHEAD = 48

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
  const { value, error } = useResource(
    (signal) => api.get(`/explain/projects/${project}`, { changes: AHEAD }, signal),
    [],
  )
  useEffect(preview.refresh, [value])
  useReadAtChange(value)
  return (
    <>
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
          <ProjectHead project={project} />
          {value ? <Reports explanation={value} preview={preview} /> : <Skeleton lines={9} />}
        </>
      )}
    </>
  )
}

function Reports({ explanation, preview }: { explanation: Explanation; preview: Preview }) {
  const { project, latest, last_generated } = explanation
  const reports = latest.candidates.map(({ report }) => report)
  const number = Number(query.value['report'])
  const selected =
    reports.find(({ report_number }) => report_number === number) ??
    latest.selected ??
    last_generated.selected ??
    reports[0]
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
  return (
    <>
      <TimelineCard explanation={explanation} preview={preview} selected={selected.id} />
      <SelectedReport {...{ explanation, preview, selected }} />
    </>
  )
}

/** Why the endpoints return what they return, and the report that is selected beside that. */
function SelectedReport({
  explanation,
  preview,
  selected: { id, report_number: first },
}: {
  explanation: Explanation
  preview: Preview
  selected: { id: number; report_number: number }
}) {
  const { project } = explanation
  const read = useReport(id, explanation)
  const report = read?.report
  const number = report?.report_number ?? first
  return (
    <>
      <div class="two">
        <WhyCard explanation={explanation} preview={preview} selected={id} />
        <ReportCard number={number} read={read} />
      </div>
      <ContentCard project={project} number={number} report={report} />
    </>
  )
}
