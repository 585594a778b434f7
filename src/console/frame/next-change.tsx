import { Clock, FastForward } from 'lucide'
import { eventWords } from '../../wording/change-words.ts'
import { countGrouped } from '../../wording/count.ts'
import { capitalize, fitOnLine } from '../../wording/fit-on-line.ts'
import { toDay, toMoment, toTime } from '../../wording/times.ts'
import type { Overview } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { goTo } from '../panels/world/preview.ts'
import { agencyRead, projectName } from '../state/agency.ts'

/** Button that sets the world clock to the next change, chosen by `nextOf`; disabled if there is none. */
export function NextChangeButton() {
  const { value, isLate } = agencyRead.value
  const { overview } = value ?? {}
  const next = isLate ? undefined : nextOf(overview)
  if (!overview || !next) {
    const isLooking = !value || isLate
    const projects = overview ? countGrouped(overview.total, 'project') : 'the projects'
    const { agencies = [], agency } = value ?? {}
    const whose = agency && agencies.length > 1 ? ` for ${fitOnLine(agency.name, 40)}` : ''
    return (
      <Button class="go" icon={Clock} onPress={() => undefined} disabled>
        <span>
          <b>{isLooking ? 'Next change' : `Nothing ahead${whose}`}</b>
          <small>{isLooking ? `Looking at ${projects} …` : whyNothing(overview)}</small>
        </span>
      </Button>
    )
  }
  const at = next.at.startsWith(overview.month.slice(0, 4))
    ? toMoment(next.at)
    : `${toDay(next.at)}, ${toTime(next.at)}`
  const words = eventWords(next, projectName(next.project))
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

/** Returns the next change visible to a client; if none is known, the next change of a report; undefined without either. */
export function nextOf(overview: Overview | undefined) {
  return overview?.next ?? overview?.changes[0]
}

export function whyNothing(overview: Overview | undefined): string {
  const { projects = [] } = overview ?? {}
  if (projects.length === 0) return 'There are no projects'
  if (projects.every(({ health }) => health === 'inactive')) return 'Every project is inactive'
  return 'Reports move by commands alone'
}
