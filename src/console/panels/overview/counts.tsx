import type { Overview } from '../../api/types.ts'
import { Card } from '../../parts/card.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import type { StateName } from '../../parts/state-word.tsx'
import { shorten } from '../../../wording/shorten.ts'
import { count } from '../../parts/texts.ts'
import { toDay, toLongMonth } from '../../../wording/times.ts'
import { hrefWith } from '../../state/location.ts'

/** A part of a whole: its colour, and what it is called after its number. */
type Part = readonly [number: number, state: StateName, words: string]

/** How many projects are listed by name. */
const LISTED = 4

type Project = Overview['projects'][number]

/** The projects by how they are doing, and those that need somebody by their names. */
export function ProjectsCard({ overview: { projects, total } }: { overview: Overview }) {
  const number = (health: Project['health']): number =>
    projects.filter((project) => project.health === health).length
  const ill = projects.filter(({ health }) => health === 'failed' || health === 'late')
  return (
    <Card
      title="Projects"
      aside={<span class="soft small">{ofProjects(projects.length, total)}</span>}
    >
      <Parts
        parts={[
          [number('failed'), 'failed', 'failed'],
          [number('late'), 'running', 'late'],
          [number('on_track'), 'completed', 'on track'],
          [number('inactive'), 'pending', 'inactive'],
          [number('no_reports'), 'pending', 'without reports'],
        ]}
      />
      {ill.length > 0 && (
        <ul class="lines ill">
          {ill.slice(0, LISTED).map((project) => (
            <li key={project.id}>
              <ProjectLink project={project} />
              <p class="soft">{reasonOf(project)}</p>
            </li>
          ))}
          {ill.length > LISTED && (
            <li class="soft">{count(ill.length - LISTED, 'other project')} like these</li>
          )}
        </ul>
      )}
    </Card>
  )
}

/** A project by its name, at its latest report. */
export function ProjectLink({ project: { id, name } }: { project: Pick<Project, 'id' | 'name'> }) {
  return (
    <a href={hrefWith({ panel: 'world', project: String(id), report: undefined })}>
      <bdi>{shorten(name, 120)}</bdi>
    </a>
  )
}

function reasonOf({ latest }: Project): string {
  if (!latest) return ''
  const { report_number, status, date_to_create_texts: due } = latest
  const what = { failed: 'has failed', running: 'is still running', pending: 'has not started' }
  const when = due === null ? '' : `, due ${toDay(due)},`
  return `Report ${report_number}${when} ${what[status as keyof typeof what]}.`
}

/** What the figures of a card are about. */
export function ofProjects(looked: number, total: number): string {
  return looked < total
    ? `the first ${looked} of ${total.toLocaleString('en')} projects`
    : count(total, 'project')
}

/** How far the reports of the month have come. */
export function MonthCard({ overview: { month, reports } }: { overview: Overview }) {
  const { pending, running, failed, completed, approved, sent } = reports
  return (
    <Card title={`Reports of ${toLongMonth(month)}`}>
      <Parts
        parts={[
          [failed, 'failed', 'failed'],
          [pending, 'pending', 'due'],
          [running, 'running', 'being written'],
          [completed, 'completed', 'to be approved'],
          [approved, 'completed', 'approved'],
          [sent, 'completed', 'sent to the client'],
        ]}
      />
    </Card>
  )
}

/** The parts of a whole as a bar, and in words. */
function Parts({ parts }: { parts: readonly Part[] }) {
  const shown = parts.filter(([number]) => number > 0)
  if (shown.length === 0) return <p class="note soft">None is due this month.</p>
  return (
    <div class="parts">
      <div class="bar" aria-hidden="true">
        {shown.map(([number, state, words]) => (
          <span key={words} class={state} style={{ flexGrow: number }} />
        ))}
      </div>
      <ul>
        {shown.map(([number, state, words]) => (
          <li key={words}>
            <StateWord state={state}>
              {number.toLocaleString('en')} {words}
            </StateWord>
          </li>
        ))}
      </ul>
    </div>
  )
}
