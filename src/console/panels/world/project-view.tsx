import { useEffect, useMemo } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { comingWords, waitWords } from '../../../wording/change-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { toDay, toMinute } from '../../../wording/times.ts'
import type { Explanation, RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { CopyText } from '../../parts/copy-button.tsx'
import { StateWord } from '../../parts/marked-text.tsx'
import { EmptyState, Skeleton } from '../../parts/placeholders.tsx'
import { toLabel, toAddress } from '../../parts/value-words.ts'
import { hrefWith, navigate, query } from '../../state/location.ts'
import { useResource, useReadAtChange } from '../../state/resource.ts'
import { ContentCard } from './content-card.tsx'
import { createNext, STEP_TEXTS, stepsOf, takeStep } from './move-report.ts'
import { createPreview } from './preview.ts'
import type { Preview } from './preview.ts'
import { readProject } from './read-project.ts'
import type { ReadProject, ReadReport, RecordNames } from './read-project.ts'
import { TimelineCard } from './timeline-card.tsx'
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
        <ReportCard read={selected} explanation={explanation} />
      </div>
      <ContentCard report={selected.report} />
    </>
  )
}

/** The name of a project, and its facts; `read` is undefined until it was read. */
function ProjectHead({ project, read }: { project: number; read: ReadProject | undefined }) {
  const path = <CopyText text={`/api/v1/projects/${project}`} what="the path" />
  if (!read) {
    return (
      <>
        <h1>Project {project}</h1>
        <p class="sub">{path}</p>
      </>
    )
  }
  const { record, names, keywords } = read
  const { agency, text_language: language } = names
  const facts = [`Project ${project}`, agency, language, countGrouped(keywords, 'keyword')]
  return (
    <>
      <h1>
        <bdi>{fitOnLine(record.name, 120)}</bdi>
      </h1>
      <div class="sub">
        {facts.map(
          (fact) =>
            fact !== undefined && (
              <span key={fact}>
                <bdi>{fitOnLine(fact, 80)}</bdi> ·{' '}
              </span>
            ),
        )}
        {path}
        <details>
          <summary>All fields of the project</summary>
          <Fields record={record} names={names} />
        </details>
      </div>
    </>
  )
}

type Report = RecordOf<'reports'>

/** The report that is selected: its state, what can follow, and its fields. */
function ReportCard({ read, explanation }: { read: ReadReport; explanation: Explanation }) {
  const { report, names } = read
  const { changes, wait } = explanation
  const coming =
    wait?.report_number === report.report_number ? waitWords(wait) : comingWords(report, changes)
  return (
    <section class="card report">
      <header>
        <h2>Report {report.report_number}</h2>
        {report.content && <a href="#texts">Read its texts</a>}
        <StateWord state={report.status} />
      </header>
      {coming && <p class="note">{coming}</p>}
      <Steps report={report} />
      <Fields record={fieldsOf(read)} names={names} />
    </section>
  )
}

/** Buttons for the steps that can follow the state of a report, the next one first. */
function Steps({ report }: { report: Report }) {
  return (
    <div class="buttons" role="group" aria-label="What can follow">
      {stepsOf(report).map((step, index) => (
        <Button
          key={step}
          variant={index === 0 && step !== 'regenerate' ? 'primary' : 'plain'}
          onPress={() => takeStep(step, report)}
        >
          {STEP_TEXTS[step][0]}
        </Button>
      ))}
    </div>
  )
}

/** Returns the fields not shown in the head of the card, in the fixture's form but with the links that the API returns. */
function fieldsOf({ report, links }: ReadReport): object {
  const { status: _, content: __, report_number: ___, project: ____, ...fields } = report
  return { ...fields, ...links }
}

/** The fields of a record in words, each with its own name, in the order that it has them. */
function Fields({ record, names }: { record: object; names: RecordNames }) {
  return (
    <dl class="fields">
      {Object.entries(record).map(([name, value]) => (
        <div key={name}>
          <dt>
            {toLabel(name)} <code>{name}</code>
          </dt>
          <dd>{toShown(name, value, names[name])}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The fields with an address that may be opened. */
const LINKS = ['pdf_link', 'web_link']

/** A value as people write it; `named` is what an id names. */
function toShown(name: string, value: unknown, named: string | undefined): ComponentChildren {
  if (value === null || value === undefined) return <span class="soft">–</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="soft">–</span>
    return (
      <ul>
        {value.map((item, index) => (
          <li key={index}>
            <bdi>{toText(item)}</bdi>
          </li>
        ))}
      </ul>
    )
  }
  if (named !== undefined) {
    return (
      <>
        <bdi>{fitOnLine(named, 80)}</bdi> <span class="soft">{toText(value)}</span>
      </>
    )
  }
  const text = <bdi>{toWords(name, value)}</bdi>
  const address = LINKS.includes(name) ? toAddress(value) : undefined
  if (address === undefined) return text
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}

function toWords(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const isTime = typeof value === 'string' && !Number.isNaN(Date.parse(value))
  if (isTime && name.startsWith('date_')) return toDay(value)
  if (isTime && name.endsWith('_at')) return toMinute(value)
  return toText(value)
}

function toText(value: unknown): string {
  return fitOnLine(typeof value === 'string' ? value : JSON.stringify(value))
}
