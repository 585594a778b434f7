import type { ComponentChildren } from 'preact'
import { drawShares, toPercent } from '../../../drawing/shares.ts'
import { EVENT_WORDS, waitWords } from '../../../wording/change-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { toDay, toLongMonth, toMonth, toMinute } from '../../../wording/times.ts'
import type { Overview } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { StateWord } from '../../parts/marked-text.tsx'
import type { StateName } from '../../parts/marked-text.tsx'
import { hrefWith } from '../../state/location.ts'
import { addMonths, goTo } from '../world/preview.ts'

/** A part of a whole: its colour, and what it is called after its number. */
type Part = readonly [number: number, state: StateName, words: string]

/** Maximum number of projects listed by name. */
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
            <li class="soft">{countGrouped(ill.length - LISTED, 'other project')} like these</li>
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
      <bdi>{fitOnLine(name, 120)}</bdi>
    </a>
  )
}

function reasonOf({ latest }: Project): string {
  if (!latest) return ''
  const { report_number, date_to_create_texts: due, wait } = latest
  const when = due === null ? '' : `, due ${toDay(due)}`
  return wait ? `Report ${report_number}${when}. ${waitWords(wait)}` : ''
}

/** Returns the scope of a card's figures: all projects, or the first of them. */
function ofProjects(looked: number, total: number): string {
  return looked < total
    ? `the first ${looked} of ${total.toLocaleString('en')} projects`
    : countGrouped(total, 'project')
}

/** Progress of the month's reports. */
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

/** The share of keywords on the first page of results, over 13 months. */
export function PositionsCard({ overview }: { overview: Overview }) {
  const { months, keywords, first_page } = overview.positions
  const shares = months.map((month, index) => {
    const [of = 0, first = 0] = [keywords[index], first_page[index]]
    return { month: toMonth(month), share: of > 0 ? first / of : null }
  })
  const known = shares.flatMap(({ month, share }) => (share === null ? [] : [{ month, share }]))
  const [first, last] = [known[0], known.at(-1)]
  return (
    <Card
      title="Keywords on the first page of results"
      aside={
        <span class="soft small">
          {countGrouped(keywords.at(-1) ?? 0, 'keyword')} of{' '}
          {ofProjects(overview.projects.length, overview.total)}
        </span>
      }
    >
      <div class="note positions">
        {first && last ? (
          <>
            <p>
              <b>{toPercent(last.share)}</b> in {last.month}
              {first === last ? (
                <span class="soft">. Earlier positions of keywords in fixtures are not known.</span>
              ) : (
                <span class="soft">
                  , {toPercent(first.share)} in {first.month}
                </span>
              )}
            </p>
            {first !== last && (
              // src/drawing escapes every text.
              <div
                dangerouslySetInnerHTML={{
                  __html: drawShares(
                    shares,
                    `Share of keywords on the first page of results: ${toPercent(first.share)} in ${first.month}, ${toPercent(last.share)} in ${last.month}`,
                  ),
                }}
              />
            )}
          </>
        ) : (
          <p class="soft">No keyword has a position yet.</p>
        )}
      </div>
    </Card>
  )
}

type Change = Overview['changes'][number]

const SHOWN = 10

/** A change of a report; or a month begins, and the latest report of some projects is another one. */
type Happening = Change | { at: string; projects: number; month: string }

/** Returns the next changes that time alone brings, the earliest first, at most `SHOWN`. */
export function happeningsOf({ month, changes, next_month }: Overview): Happening[] {
  const turn = next_month && { ...next_month, month: toLongMonth(addMonths(Date.parse(month), 1)) }
  return [...changes, ...(turn && turn.projects > 0 ? [turn] : [])]
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .slice(0, SHOWN)
}

/** Upcoming changes in words, each with a button that goes there. */
export function NextCard({ overview }: { overview: Overview }) {
  const happenings = happeningsOf(overview)
  return (
    <Card title="What happens next" class="next-changes">
      {happenings.length === 0 && (
        <p class="note soft">Time alone changes nothing here: reports move by commands.</p>
      )}
      <ol class="lines">
        {happenings.map((happening) => (
          <Line key={keyOf(happening)} happening={happening} projects={overview.projects} />
        ))}
      </ol>
    </Card>
  )
}

function keyOf(happening: Happening): string {
  return 'event' in happening
    ? `${happening.project} ${happening.report_number} ${happening.event} ${happening.at}`
    : happening.at
}

interface LineProps {
  happening: Happening
  projects: Overview['projects']
}

function Line({ happening, projects }: LineProps) {
  const at = toMinute(happening.at)
  const [what, sentence] = inWords(happening, projects)
  return (
    <li>
      <small class="soft">{at}</small>
      <span>{what}</span>
      <Button
        variant="quiet"
        label={`Go there, to ${at}, when ${sentence}`}
        onPress={() => goTo(Date.parse(happening.at), `Went to ${at}, when ${sentence}`)}
      >
        Go there
      </Button>
    </li>
  )
}

/** A happening as a sentence with a link, and as a part of the sentence of an action. */
function inWords(
  happening: Happening,
  projects: Overview['projects'],
): [what: ComponentChildren, sentence: string] {
  if (!('event' in happening)) {
    const { month, projects: number } = happening
    const what = `${month} begins: the latest report of ${countGrouped(number, 'project')} is another one`
    return [what, `${month} begins`]
  }
  const { project: id, report_number, event } = happening
  const project = projects.find((one) => one.id === id) ?? { id, name: `project ${id}` }
  const words = EVENT_WORDS[event]
  return [
    <>
      Report {report_number} of <ProjectLink project={project} /> {words}
    </>,
    `report ${report_number} of project ${id} ${words}`,
  ]
}
