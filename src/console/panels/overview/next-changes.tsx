import { FastForward } from 'lucide'
import type { ComponentChildren } from 'preact'
import { EVENT_WORDS, eventWords } from '../../../wording/change-words.ts'
import { countGrouped } from '../../../wording/count.ts'
import { uncapitalize } from '../../../wording/fit-on-line.ts'
import { DAY_MS, toLongMonth, toMinute, toTime, toWeekday } from '../../../wording/times.ts'
import type { Overview } from '../../api/types.ts'
import { nextOf, whyNothing } from '../../frame/next-change.tsx'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/section.tsx'
import { projectName } from '../../state/agency.ts'
import { clocks } from '../../state/shown-clocks.ts'
import { goTo, toMidnight } from '../world/preview.ts'
import { ProjectLink } from './month.tsx'

type Change = NonNullable<ReturnType<typeof nextOf>>
type NextMonth = NonNullable<Overview['next_month']>

type Happening = Change | NextMonth

const MAXIMUM_LISTED = 10

/** The next changes that time alone causes, by day. Marks the target of `NextChangeButton`. */
export function NextChanges({ overview }: { overview: Overview }) {
  const days = Map.groupBy(happeningsOf(overview), ({ at }) => toMidnight(Date.parse(at)))
  const today = toMidnight(clocks.value?.worldMs ?? 0)
  return (
    <Section title="What happens next" class="next-changes">
      {days.size === 0 && <p class="soft">Nothing ahead: {uncapitalize(whyNothing(overview))}.</p>}
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

/** Returns the next `MAXIMUM_LISTED` happenings in order of time, and the target of `NextChangeButton` even if it is later. */
function happeningsOf(overview: Overview): Happening[] {
  const { changes, next_month: month } = overview
  const next = nextOf(overview)
  const all: Happening[] = [
    ...changes,
    ...(month && month.projects + month.lost > 0 ? [month] : []),
  ]
  const marked = all.find((happening) => isNext(happening, next)) ?? next
  if (marked && !all.includes(marked)) all.push(marked)
  all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return all.filter((happening, index) => index < MAXIMUM_LISTED || happening === marked)
}

function isNext(happening: Happening, next: Change | undefined): boolean {
  if (next?.at !== happening.at) return false
  if (!('event' in happening)) return next.event === 'latest'
  const { project, report_number, event } = happening
  return project === next.project && report_number === next.report_number && event === next.event
}

/** Formats a day: `Today, Sun 15 Mar`, `Tomorrow, Mon 16 Mar`, `Tue 1 Dec`, or `Fri 1 Jan 2027` in another year. */
function dayWords(day: number, today: number): string {
  const days = (day - today) / DAY_MS
  const [year, thisYear] = [day, today].map((ms) => new Date(ms).getUTCFullYear())
  const near = days === 0 ? 'Today, ' : days === 1 ? 'Tomorrow, ' : ''
  return near + toWeekday(day) + (year === thisYear ? '' : ` ${year}`)
}

function Line({ happening, overview }: { happening: Happening; overview: Overview }) {
  const [words, sentence] = inWords(happening, overview)
  const at = toMinute(happening.at)
  const isMarked = isNext(happening, nextOf(overview))
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

/** Returns the content of a line, and plain text for its button and the recorded action. */
function inWords(
  happening: Happening,
  overview: Overview,
): [words: ComponentChildren, sentence: string] {
  if (!('event' in happening)) {
    // East of UTC, a month begins before it does in UTC, so the month is read from the next day.
    const month = toLongMonth(Date.parse(happening.at) + DAY_MS)
    const next = nextOf(overview)
    const first = next && isNext(happening, next) ? next : undefined
    const other = first ? 'other project' : 'project'
    const changed = happening.projects - (first && first.report_number !== null ? 1 : 0)
    const lost = happening.lost - (first?.report_number === null ? 1 : 0)
    const words = (
      <>
        <b>{month} begins</b>.{first && <> {inWords(first, overview)[0]}.</>}
        {changed > 0 &&
          ` ${countGrouped(changed, `${other} gets`, `${other}s get`)} a new latest report.`}
        {lost > 0 &&
          ` ${countGrouped(lost, `${other} loses its`, `${other}s lose their`)} latest report.`}
      </>
    )
    return [words, `${month} begins`]
  }
  const { project: id, report_number, event } = happening
  const project = overview.projects.find((each) => each.id === id) ?? { id, name: `project ${id}` }
  const words =
    report_number === null
      ? ' loses its latest report'
      : `: report ${report_number} ${EVENT_WORDS[event]}`
  return [
    <>
      <ProjectLink project={project} />
      {words}
    </>,
    eventWords(happening, projectName(id)),
  ]
}
