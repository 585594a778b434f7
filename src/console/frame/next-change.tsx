import { Clock, FastForward } from 'lucide'
import type { IconNode } from 'lucide'
import { countGrouped } from '../../wording/count.ts'
import { fitOnLine } from '../../wording/fit-on-line.ts'
import { toMoment } from '../../wording/times.ts'
import { orNull } from '../api/api-error.ts'
import { api } from '../api/client.ts'
import type { Explanation, Overview } from '../api/types.ts'
import { Icon } from '../parts/icon.tsx'
import { Button } from '../parts/button.tsx'
import { agencyRead } from '../state/agency.ts'
import { query } from '../state/location.ts'
import { useResource } from '../state/resource.ts'

/** A moment at which time alone changes the latest report or the content of one. */
interface NextChange {
  /** On the world clock, in the API's datetime format. */
  at: string
  /** The change, with its project: `report 19 of Tidewater Physio becomes latest`. */
  words: string
}

/** The button that goes to the next change that a client sees. */
export function NextChangeButton() {
  const ofProject = useChangeOfProject()
  const { value: agency, isLate } = agencyRead.value
  const { next, isLate: isMuted } = ofProject ?? {
    next: agency && nextOfAgency(agency.overview),
    isLate,
  }
  if (next === undefined || isMuted) {
    const { total } = agency?.overview ?? {}
    const projects = total === undefined ? 'the projects' : countGrouped(total, 'project')
    return <Muted icon={Clock} title="Next change" words={`Looking at ${projects} …`} />
  }
  if (next === null) {
    const words = ofProject ? 'Time alone changes nothing here' : whyNothing(agency?.overview)
    return <Muted icon={Clock} title="Nothing ahead" words={words} />
  }
  const at = toMoment(next.at)
  const go = async (): Promise<void> => {
    await api.command({ type: 'clock.set', now: next.at }, `Went to ${at}, when ${next.words}`)
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
        <small>{next.words.charAt(0).toUpperCase() + next.words.slice(1)}</small>
      </span>
    </Button>
  )
}

function Muted({ icon, title, words }: { icon: IconNode; title: string; words: string }) {
  return (
    <button type="button" class="button go" disabled>
      <Icon of={icon} />
      <span>
        <b>{title}</b>
        <small>{words}</small>
      </span>
    </button>
  )
}

const EVENTS = {
  latest: 'becomes latest',
  completed: 'is completed',
  regenerated: 'is regenerated',
}

/** Null where nothing is ahead. */
function nextOfAgency(overview: Overview | undefined): NextChange | null {
  const next = overview?.next
  if (!next) return null
  const name =
    overview.projects.find(({ id }) => id === next.project)?.name ?? `project ${next.project}`
  const others =
    next.projects > 1 ? `, and ${countGrouped(next.projects - 1, 'other project')}` : ''
  return { at: next.at, words: `${changeWords(next, name)}${others}` }
}

function changeWords(
  { event, report_number }: Pick<NonNullable<Overview['next']>, 'event' | 'report_number'>,
  name: string,
): string {
  const project = fitOnLine(name, 40)
  if (report_number === null) return `${project} has no latest report`
  return `report ${report_number} of ${project} ${EVENTS[event]}`
}

function whyNothing(overview: Overview | undefined): string {
  const { projects = [] } = overview ?? {}
  if (projects.length === 0) return 'There are no projects'
  if (projects.every(({ health }) => health === 'inactive')) return 'Every project is inactive'
  return 'Reports move by commands alone'
}

/** Enough changes of a project to find one that a client sees. */
const LOOKED_AT = 20

/** The same for the project that *World* shows; undefined on other panels, and where the address names no project. */
function useChangeOfProject():
  | { next: NextChange | null | undefined; isLate: boolean }
  | undefined {
  const id = query.value['panel'] === 'world' ? Number(query.value['project']) : NaN
  const isShown = Number.isSafeInteger(id) && id > 0
  const { value, isLate } = useResource(
    async (aborting): Promise<NextChange | null> => {
      if (!isShown) return null
      const read = await orNull(
        Promise.all([
          api.get(`/explain/projects/${id}`, { changes: LOOKED_AT }, aborting),
          api.get(`/records/projects/${id}`, {}, aborting),
        ]),
      )
      return read && nextOfProject(read[0], read[1].name)
    },
    [isShown ? id : null],
  )
  return isShown ? { next: value, isLate } : undefined
}

function nextOfProject(now: Explanation, name: string): NextChange | null {
  const { candidates, selected } = now.latest
  const statuses = new Map(candidates.map(({ report }) => [report.id, report.status]))
  for (const { at, reports, latest } of now.changes) {
    const completed = reports.find(
      ({ id, status }) => status === 'completed' && statuses.get(id) !== status,
    )
    const lost = reports.find(
      ({ id, status }) => status !== 'completed' && statuses.get(id) === 'completed',
    )
    const moved = completed ?? lost
    if (moved) {
      const event = completed ? 'completed' : 'regenerated'
      return { at, words: changeWords({ event, report_number: moved.report_number }, name) }
    }
    if (latest !== (selected?.id ?? null)) {
      const report = [...reports, ...candidates.map((one) => one.report)].find(
        ({ id }) => id === latest,
      )
      return {
        at,
        words: changeWords({ event: 'latest', report_number: report?.report_number ?? null }, name),
      }
    }
  }
  return null
}
