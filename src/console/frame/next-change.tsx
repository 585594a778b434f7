import { Clock, FastForward } from 'lucide'
import { EVENT_WORDS } from '../../wording/change-words.ts'
import { countGrouped } from '../../wording/count.ts'
import { fitOnLine, capitalize } from '../../wording/fit-on-line.ts'
import { toMoment } from '../../wording/times.ts'
import { api } from '../api/client.ts'
import type { Overview } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { agencyRead } from '../state/agency.ts'

/** Button that sets the world clock to the next change that a client sees, as listed in the agency's overview. */
export function NextChangeButton() {
  const { value, isLate } = agencyRead.value
  const { overview } = value ?? {}
  if (!value || isLate) {
    const projects = overview ? countGrouped(overview.total, 'project') : 'the projects'
    return <Muted title="Next change" words={`Looking at ${projects} …`} />
  }
  if (!overview?.next) return <Muted title="Nothing ahead" words={whyNothing(overview)} />
  const { at: now } = overview.next
  const at = toMoment(now)
  const words = changeWords(overview.next, overview)
  const go = async (): Promise<void> => {
    await api.command({ type: 'clock.set', now }, `Went to ${at}, when ${words}`)
  }
  return (
    <Button
      variant="primary"
      class="go"
      icon={FastForward}
      onPress={go}
      title="Moves the world clock, and not the rate limits"
    >
      <span>
        <b>Go to {at}</b>
        <small>{capitalize(words)}</small>
      </span>
    </Button>
  )
}

function Muted({ title, words }: { title: string; words: string }) {
  return (
    <Button class="go" icon={Clock} onPress={() => undefined} disabled>
      <span>
        <b>{title}</b>
        <small>{words}</small>
      </span>
    </Button>
  )
}

const EVENTS = { ...EVENT_WORDS, latest: 'becomes latest' }

/** Describes a change with its project: `report 19 of Tidewater Physio becomes latest`. */
function changeWords(
  { project, event, report_number }: NonNullable<Overview['next']>,
  { projects }: Overview,
): string {
  const name = fitOnLine(projects.find(({ id }) => id === project)?.name ?? '', 40)
  if (report_number === null) return `${name} has no latest report`
  return `report ${report_number} of ${name} ${EVENTS[event]}`
}

function whyNothing(overview: Overview | undefined): string {
  const { projects = [] } = overview ?? {}
  if (projects.length === 0) return 'There are no projects'
  if (projects.every(({ health }) => health === 'inactive')) return 'Every project is inactive'
  return 'Reports move by commands alone'
}
