import type { ComponentChildren } from 'preact'
import type { Overview } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { count } from '../../parts/texts.ts'
import { toLongMonth, toMinute } from '../../../wording/times.ts'
import { EVENT_WORDS } from '../../../wording/change-words.ts'
import { addMonths } from '../world/moments.ts'
import { goTo } from '../world/preview.ts'
import { ProjectLink } from './counts.tsx'

type Change = Overview['changes'][number]

const SHOWN = 10

/** A change of a report; or a month begins, and the latest report of some projects is another one. */
type Happening = Change | { at: string; projects: number; month: string }

/** What time alone brings, in order. */
export function happeningsOf({ month, changes, next_month }: Overview): Happening[] {
  const turn = next_month && { ...next_month, month: toLongMonth(addMonths(Date.parse(month), 1)) }
  return [...changes, ...(turn && turn.projects > 0 ? [turn] : [])]
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .slice(0, SHOWN)
}

/** What happens next, in words, each with a button that goes there. */
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

/** A happening as a sentence with a link, and as a part of the sentence of an act. */
function inWords(
  happening: Happening,
  projects: Overview['projects'],
): [what: ComponentChildren, sentence: string] {
  if (!('event' in happening)) {
    const { month, projects: number } = happening
    const what = `${month} begins: the latest report of ${count(number, 'project')} is another one`
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
