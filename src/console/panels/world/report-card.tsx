import { Book, ExternalLink } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { comingWords, waitWords } from '../../../wording/change-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { fitOnLine, capitalize } from '../../../wording/fit-on-line.ts'
import { toDaysAway } from '../../../wording/times.ts'
import type { Explanation, RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { FieldName, StateWord } from '../../parts/marked-text.tsx'
import { toHttpUrl, toWords } from '../../parts/value-words.ts'
import { navigate } from '../../state/location.ts'
import { stepsOf, takeStep } from './move-report.ts'
import type { ReadReport, RecordNames } from './read-project.ts'

type Report = RecordOf<'reports'>

const MAIN_FIELDS: readonly (keyof Report)[] = [
  'date_to_create_texts',
  'date_to_send_to_client',
  'approved_by',
  'managed_by',
  'created_at',
]

interface ReportCardProps {
  read: ReadReport
  projectStatus: string
  explanation: Explanation
}

export function ReportCard({ read, projectStatus, explanation }: ReportCardProps) {
  const [isWhole, setWhole] = useState(false)
  /** Report as it was before a step, until it is read again. */
  const [moved, setMoved] = useState<Report>()
  const { report, names, links } = read
  const { changes, wait, now } = explanation
  const isToApprove = report.status === 'completed' && report.approved_status === null
  const isPaused = report.status !== 'completed' && projectStatus !== 'active'
  const coming =
    wait?.report_number === report.report_number
      ? waitWords(wait, report)
      : comingWords(report, changes) ||
        (isPaused && `No report is due while the project is ${fitOnLine(projectStatus, 40)}.`)
  const { content, project: _, ...fields } = { ...report, ...links }
  const main = MAIN_FIELDS.filter((name) => report[name] !== null)
  return (
    <section class="section report">
      <header>
        <h2 class="lead">
          Report {report.report_number} ·{' '}
          {moved !== report && (
            <StateWord state={isToApprove ? 'to_approve' : report.status}>
              {isToApprove ? 'completed, to approve' : report.sent ? 'completed, sent' : undefined}
            </StateWord>
          )}
        </h2>
        <div class="row">
          {report.status === 'completed' && (
            <>
              <PageLink to={links.web_link} title="Open report" />
              <PageLink to={links.pdf_link} title="PDF" />
            </>
          )}
          {content && (
            <Button icon={Book} onPress={() => readTexts(Object.keys(content)[0])}>
              Read its texts
            </Button>
          )}
          <div class="row" role="group" aria-label="What can follow">
            {stepsOf(report).map((step) => (
              <Button
                key={step}
                onPress={() => takeStep(step, report).then(() => setMoved(report))}
              >
                {capitalize(step)}
              </Button>
            ))}
          </div>
        </div>
      </header>
      {coming && <p>{coming}</p>}
      <FieldList
        record={isWhole ? fields : Object.fromEntries(main.map((name) => [name, report[name]]))}
        names={names}
        nowMs={Date.parse(now)}
      />
      <Button variant="quiet" pressed={isWhole} onPress={() => setWhole(!isWhole)}>
        All {countGrouped(Object.keys(fields).length, 'field')}
      </Button>
    </section>
  )
}

/** Link to a report's web page or PDF, which opens in a new tab. Renders nothing unless `to` is an HTTP URL. */
function PageLink({ to, title }: { to: string | null; title: string }) {
  const address = toHttpUrl(to)
  if (address === undefined) return null
  return (
    <a class="button" href={address} target="_blank" rel="noreferrer">
      <Icon of={ExternalLink} />
      {title}
    </a>
  )
}

function readTexts(keyword: string | undefined): void {
  navigate({ keyword }, { replace: true })
  document.querySelector('#texts')?.scrollIntoView()
}

interface FieldsProps {
  record: object
  names: RecordNames
  /** World time in epoch milliseconds, to show how far away each date is; not shown if omitted. */
  nowMs?: number
}

export function FieldList({ record, names, nowMs }: FieldsProps) {
  return (
    <dl class="columns fields">
      {Object.entries(record).map(([name, value]) => (
        <div key={name}>
          <dt class="small">
            <FieldName name={name} />
          </dt>
          <dd>
            {toShown(name, value, names[name])}
            {nowMs !== undefined && name.startsWith('date_') && typeof value === 'string' && (
              <small class="soft">{toDaysAway(value, nowMs)}</small>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const LINK_FIELDS = ['pdf_link', 'web_link']

/** Renders the value of a field. `named` is the name of the record to which the field refers; undefined for any other field. */
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
  const address = toHttpUrl(value)
  const text = <bdi>{fitOnLine(address ?? toWords(value))}</bdi>
  if (address === undefined || !LINK_FIELDS.includes(name)) return text
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}

function toText(value: unknown): string {
  return fitOnLine(typeof value === 'string' ? value : JSON.stringify(value))
}
