import { waitWords } from '../../../wording/change-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { fitOnLine, capitalize } from '../../../wording/fit-on-line.ts'
import { daysLate, toDay, toLongMonth, toMonth } from '../../../wording/times.ts'
import type { Overview } from '../../api/types.ts'
import { StateWord } from '../../parts/marked-text.tsx'
import type { StateName } from '../../parts/marked-text.tsx'
import { Section } from '../../parts/section.tsx'
import { needingAttention } from '../../state/agency.ts'
import { hrefWith } from '../../state/location.ts'
import { clocks } from '../../state/shown-clocks.ts'

type Project = Overview['projects'][number]

export function ProjectLink({ project: { id, name } }: { project: Pick<Project, 'id' | 'name'> }) {
  return (
    <a href={hrefWith({ panel: 'world', project: String(id), report: undefined })}>
      <b>
        <bdi>{fitOnLine(name, 120)}</bdi>
      </b>
    </a>
  )
}

export function MonthSummary({ overview }: { overview: Overview }) {
  const { month, reports } = overview
  const shown = FIGURES.filter(({ stage }) => reports[stage] > 0)
  const customers = Object.values(reports).reduce((sum, number) => sum + number)
  const isDue = reports.not_due < customers
  const name = toLongMonth(month).split(' ')[0]
  return (
    <section class="section month" aria-label={`Reports of ${toLongMonth(month)}`}>
      <p class="lead">
        {isDue
          ? `The ${name} report has been sent to ${reports.sent === 0 ? 'none' : reports.sent.toLocaleString('en')} of ${countGrouped(customers, 'customer')}. `
          : `No report is due in ${name}. `}
        <b>{describeProblems(overview)}</b>
      </p>
      {isDue && (
        <>
          <div class="shares" aria-hidden="true">
            {shown.map(({ stage, state, strength = 1 }) => (
              <span
                key={stage}
                class={state}
                style={{ flexGrow: reports[stage], opacity: strength }}
              />
            ))}
          </div>
          <dl class="columns figures">
            {shown.map(({ stage, state, words }) => (
              <div key={stage}>
                <dd>{reports[stage].toLocaleString('en')}</dd>
                <dt class="small">
                  <StateWord state={state}>{words}</StateWord>
                </dt>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  )
}

interface Figure {
  stage: keyof Overview['reports']
  state: StateName
  words: string
  /** Opacity in the bar, to distinguish figures of the same colour; 1 if omitted. */
  strength?: number
}

const FIGURES: readonly Figure[] = [
  { stage: 'sent', state: 'completed', words: 'sent' },
  { stage: 'approved', state: 'completed', words: 'approved', strength: 0.65 },
  { stage: 'completed', state: 'to_approve', words: 'to approve', strength: 0.4 },
  { stage: 'running', state: 'running', words: 'being written' },
  { stage: 'pending', state: 'pending', words: 'still due' },
  { stage: 'late', state: 'late', words: 'late' },
  { stage: 'failed', state: 'failed', words: 'failed' },
  { stage: 'not_due', state: 'pending', words: 'not due', strength: 0.4 },
]

function describeProblems({ reports: { failed, late }, projects }: Overview): string {
  const nowMs = clocks.value?.worldMs ?? 0
  const days = projects.map(({ health, latest }) =>
    health === 'late' ? daysLate(latest?.date_to_create_texts ?? '', nowMs) : 0,
  )
  const most = countGrouped(Math.max(...days), 'day')
  const parts = [
    ...(failed > 0 ? [failed === 1 ? 'one report failed' : `${failed} reports failed`] : []),
    ...(late > 0
      ? [late === 1 ? `one is ${most} late so far` : `${late} are late, by up to ${most} so far`]
      : []),
  ]
  return `${capitalize(parts.join(', ') || 'nothing needs attention')}.`
}

const MAXIMUM_LISTED = 5

export function Attention({ projects }: { projects: readonly Project[] }) {
  const all = needingAttention(projects)
  if (all.length === 0) return null
  return (
    <Section title="Needs attention">
      <ul class="lines ill">
        {all.slice(0, MAXIMUM_LISTED).map((project) => (
          <li key={project.id}>
            <StateWord state={project.health === 'failed' ? 'failed' : 'late'}>{''}</StateWord>
            <div>
              <ProjectLink project={project} /> {dueWords(project)}
              {project.latest?.wait && (
                <small class="soft">
                  {waitWords(project.latest.wait, {
                    ...project.latest,
                    date_to_create_texts: null,
                  })}
                </small>
              )}
            </div>
          </li>
        ))}
      </ul>
      {all.length > MAXIMUM_LISTED && (
        <p class="soft">{countGrouped(all.length - MAXIMUM_LISTED, 'other project')} like these</p>
      )}
    </Section>
  )
}

function dueWords({ health, latest }: Project): string {
  if (!latest) return ''
  const { report_number: number, date_to_create_texts: due } = latest
  const when = due === null ? '' : `, due on ${toDay(due)}`
  return `Report ${number}${when}${health === 'failed' ? ', has failed' : ''}.`
}

const CHART = { width: 420, height: 96 }

export function Growth({ positions: { months, keywords, first_page } }: Overview) {
  const shares = months.flatMap((month, index) => {
    const [of = 0, first = 0] = [keywords[index], first_page[index]]
    return of > 0 ? [{ month, index, share: first / of }] : []
  })
  const [first, last] = [shares[0], shares.at(-1)]
  if (!first || !last) return null
  const [was, is] = [first, last].map(({ share }) => toPercent(share))
  const since =
    first === last
      ? '. Earlier positions of keywords in fixtures are not known.'
      : `; ${was} of ${(keywords[first.index] ?? 0).toLocaleString('en')} in ${toLongMonth(first.month)}.`
  const top = Math.max(...shares.map(({ share }) => share))
  const at = ({ index, share }: { index: number; share: number }): string =>
    `${((index / (months.length - 1)) * CHART.width).toFixed(1)} ${(CHART.height - (share / top) * (CHART.height - 8)).toFixed(1)}`
  const line = shares.map(at).join('L')
  return (
    <Section title="Keywords on the first page of results" class={first === last ? '' : 'growth'}>
      <div>
        <p class="figure">{is}</p>
        <p>
          of {countGrouped(keywords.at(-1) ?? 0, 'keyword')}
          {since}
        </p>
      </div>
      {first !== last && (
        <div class="line-chart">
          <svg
            viewBox={`0 0 ${CHART.width} ${CHART.height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`Share of keywords on the first page of results: ${was} in ${toMonth(first.month)}, ${is} in ${toMonth(last.month)}`}
          >
            <path
              class="area"
              d={`M${at(first).split(' ')[0]} ${CHART.height}L${line}V${CHART.height}z`}
            />
            <path class="stroke" d={`M${line}`} />
          </svg>
          <p class="small soft" aria-hidden="true">
            {[0, 4, 8, 12].map((index) => (
              <span key={index}>{months[index] !== undefined && toMonth(months[index])}</span>
            ))}
          </p>
        </div>
      )}
    </Section>
  )
}

function toPercent(share: number): string {
  return `${Math.round(share * 100)}%`
}
