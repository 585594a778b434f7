import { Clock, FastForward } from 'lucide'
import { EVENT_WORDS } from '../../wording/change-words.ts'
import { countGrouped } from '../../wording/count.ts'
import { fitOnLine, capitalize } from '../../wording/fit-on-line.ts'
import { toMoment } from '../../wording/times.ts'
import type { Overview } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { goTo } from '../panels/world/preview.ts'
import { agencyRead } from '../state/agency.ts'

/** Button that sets the world clock to the next change visible to a client. */
export function NextChangeButton() {
  const { value, isLate } = agencyRead.value
  const { overview } = value ?? {}
  const next = isLate ? null : overview?.next
  if (!next) {
    const isLooking = !value || isLate
    const projects = overview ? countGrouped(overview.total, 'project') : 'the projects'
    return (
      <Button class="go" icon={Clock} onPress={() => undefined} disabled>
        <span>
          <b>{isLooking ? 'Next change' : 'Nothing ahead'}</b>
          <small>{isLooking ? `Looking at ${projects} …` : whyNothing(overview)}</small>
        </span>
      </Button>
    )
  }
  const at = toMoment(next.at)
  const words = changeWords(next, overview?.projects ?? [])
  return (
    <Button
      variant="primary"
      class="go"
      icon={FastForward}
      onPress={() => goTo(Date.parse(next.at), `Went to ${at}, when ${words}`)}
      title="Moves the world clock, and not the rate limits"
    >
      <span>
        <b>Go to {at}</b>
        <small>{capitalize(words)}</small>
      </span>
    </Button>
  )
}

const EVENTS = { ...EVENT_WORDS, latest: 'becomes latest' }

/** Describes a change with its project: `report 19 of Tidewater Physio becomes latest`. */
function changeWords(
  { project, event, report_number }: NonNullable<Overview['next']>,
  projects: Overview['projects'],
): string {
  const name = fitOnLine(projects.find(({ id }) => id === project)?.name ?? '', 40)
  if (report_number === null) return `${name} loses its latest report`
  return `report ${report_number} of ${name} ${EVENTS[event]}`
}

function whyNothing(overview: Overview | undefined): string {
  const { projects = [] } = overview ?? {}
  if (projects.length === 0) return 'There are no projects'
  if (projects.every(({ health }) => health === 'inactive')) return 'Every project is inactive'
  return 'Reports move by commands alone'
}
