import { FastForward } from 'lucide'
import type { ComponentChildren } from 'preact'
import { EVENT_WORDS } from '../../../wording/change-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { DAY_MS, toLongMonth, toMinute, toTime, toWeekday } from '../../../wording/times.ts'
import type { Overview } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { clocks } from '../../state/shown-clocks.ts'
import { goTo, toMidnight } from '../world/preview.ts'
import { ProjectLink } from './month.tsx'

type Change = Overview['changes'][number]
type NextMonth = NonNullable<Overview['next_month']>

/** A change of a report, or the start of a month with different latest reports. */
type Happening = Change | NextMonth

const SHOWN = 10

/** The next changes that time alone causes, by day. The change to which the header's button goes is marked. */
export function NextChanges({ overview }: { overview: Overview }) {
  const days = Map.groupBy(happeningsOf(overview), ({ at }) => toMidnight(Date.parse(at)))
  const today = toMidnight(clocks.value?.worldMs ?? 0)
  return (
    <Section title="What happens next" class="next-changes">
      {days.size === 0 && (
        <p class="soft">Time alone changes nothing here: reports move by commands.</p>
      )}
      {[...days].map(([day, happenings]) => (
        <section key={day}>
          <h3>{dayWords(day, today)}</h3>
          <ol>
            {happenings.map((happening) => (
              <Line key={JSON.stringify(happening)} happening={happening} overview={overview} />
            ))}
          </ol>
        </section>
      ))}
    </Section>
  )
}

/** Returns the next `SHOWN` changes, the earliest first, and the change of the header's button if it comes later. */
function happeningsOf({ changes, next_month: month, next }: Overview): Happening[] {
  const all: Happening[] = [
    ...changes,
    ...(month && month.projects + month.lost > 0 ? [month] : []),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const shown = all.slice(0, SHOWN)
  const marked = all.find((happening) => isNext(happening, next))
  return marked && !shown.includes(marked) ? [...shown, marked] : shown
}

function isNext(happening: Happening, next: Overview['next']): boolean {
  if (next?.at !== happening.at) return false
  if (!('event' in happening)) return next.event === 'latest'
  return happening.project === next.project && happening.report_number === next.report_number
}

/** Formats a day: `Today, Sun 15 Mar`, `Tomorrow, Mon 16 Mar`, `Tue 1 Dec`. */
function dayWords(day: number, today: number): string {
  const days = (day - today) / DAY_MS
  if (days === 0) return `Today, ${toWeekday(day)}`
  return (days === 1 ? 'Tomorrow, ' : '') + toWeekday(day)
}

function Line({ happening, overview }: { happening: Happening; overview: Overview }) {
  const [words, sentence] = inWords(happening, overview)
  const at = toMinute(happening.at)
  const isMarked = isNext(happening, overview.next)
  return (
    <li class={isMarked ? 'marked' : undefined} aria-current={isMarked ? 'step' : undefined}>
      <time class="small">{toTime(happening.at)}</time>
      <span>{words}</span>
      <Button
        variant="quiet"
        icon={FastForward}
        label={`Go to ${at}, ${sentence}`}
        onPress={() => goTo(Date.parse(happening.at), `Went to ${at}, when ${sentence}`)}
      />
    </li>
  )
}

/** Describes a change, as a sentence with a link and as plain words for the sentence of an action. */
function inWords(
  happening: Happening,
  { projects, next }: Overview,
): [words: ComponentChildren, sentence: string] {
  if (!('event' in happening)) {
    const month = toLongMonth(happening.at)
    const { projects: changed, lost } = happening
    const numbers = [
      ...(changed > 0
        ? [`${countGrouped(changed, 'project gets', 'projects get')} a new latest report`]
        : []),
      ...(lost > 0
        ? [`${countGrouped(lost, 'project loses its', 'projects lose their')} latest report`]
        : []),
    ]
    const first = next?.event === 'latest' && next.at === happening.at ? next : undefined
    const project = projects.find(({ id }) => id === first?.project)
    const words = (
      <>
        <b>{month} begins</b>: {numbers.join(', ')}
        {project && first && (
          <>
            , <ProjectLink project={project} />{' '}
            {first.report_number !== null && `report ${first.report_number} `}first
          </>
        )}
      </>
    )
    return [words, `${month} begins`]
  }
  const { project: id, report_number, event } = happening
  const project = projects.find((each) => each.id === id) ?? { id, name: `project ${id}` }
  const words = `report ${report_number} ${EVENT_WORDS[event]}`
  return [
    <>
      <ProjectLink project={project} />: {words}
    </>,
    `report ${report_number} of ${fitOnLine(project.name, 40)} ${EVENT_WORDS[event]}`,
  ]
}
