import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { Overview, RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Select } from '../../parts/select.tsx'
import { shorten } from '../../../wording/shorten.ts'
import { count } from '../../parts/texts.ts'
import { toLongMonth } from '../../../wording/times.ts'
import { Unread } from '../../parts/unread.tsx'
import { pause } from '../../state/connection.ts'
import { currentWorld } from '../../state/current-world.ts'
import { navigate, query } from '../../state/location.ts'
import { readPartner } from '../../state/partner.ts'
import { useResource } from '../../state/resource.ts'
import { TourCard } from '../tours/tour-card.tsx'
import { activeTour } from '../tours/tour-state.ts'
import { createNext } from '../world/report-steps.ts'
import { useReadAtChange } from '../world/use-read-at-change.ts'
import { ClientCard } from './client-card.tsx'
import { MonthCard, ProjectsCard } from './counts.tsx'
import { Names, serveDemo } from './names.tsx'
import { happeningsOf, NextCard } from './next-card.tsx'
import { PositionsCard } from './positions-card.tsx'
import { Situations } from './situations.tsx'
import { Welcome } from './welcome.tsx'
import '../tours/tours.css'
import './overview.css'

/** What people see first: an agency, its month, and what happens next. */
export function OverviewPanel() {
  const chosen = query.value['agency']
  const last = useRef<string | null | undefined>(null)
  const read = useResource(
    async (signal) => {
      if (last.current === chosen) await pause(SETTLING_MS)
      last.current = chosen
      signal.throwIfAborted()
      return readAgency(chosen, signal)
    },
    [chosen],
  )
  const { value } = read
  const overview = value?.overview
  const shown = overview && hasReports(overview) ? overview : undefined
  const isTouring = activeTour.value?.world === currentWorld.value
  useReadAtChange(overview && { changes: happeningsOf(overview) })
  return (
    <>
      {value && !isTouring && <Welcome />}
      {value ? <Head {...value} /> : <h1>Overview</h1>}
      {isTouring && <TourCard />}
      <Unread of={read} lines={12} />
      {value && !isTouring && <ClientCard agency={value.agency?.id} />}
      {value && !shown && <WithoutReports first={overview?.projects[0]} />}
      {value && (
        <div class="two">
          <div class="stack">
            {shown && <ProjectsCard overview={shown} />}
            <Names />
            {shown && (
              <>
                <MonthCard overview={shown} />
                <PositionsCard overview={shown} />
              </>
            )}
          </div>
          <div class="stack">
            {shown && <NextCard overview={shown} />}
            {!isTouring && <TourCard />}
          </div>
        </div>
      )}
      {shown && <Situations projects={shown.projects} />}
    </>
  )
}

/** Commands that follow each other this closely are one reason to read it again. */
const SETTLING_MS = 300

type Agency = RecordOf<'agencies'>

interface Read {
  agencies: readonly Agency[]
  /** The one that is chosen; undefined where there is none. */
  agency?: Agency | undefined
  overview?: Overview | undefined
}

/** Both together, so that what is shown is never of two worlds. */
async function readAgency(chosen: string | undefined, signal: AbortSignal): Promise<Read> {
  const [{ records: agencies }] = await Promise.all([
    api.list('agencies', { limit: 200 }, signal),
    // Read before anything is shown, so that nothing moves when the partner is greeted.
    readPartner(),
  ])
  const agency = agencies.find(({ id }) => String(id) === chosen) ?? agencies[0]
  if (!agency) return { agencies }
  return {
    agencies,
    agency,
    overview: await api.get(`/agencies/${agency.id}/overview`, {}, signal),
  }
}

/** Whose month it is. */
function Head({ agencies, agency, overview }: Read) {
  if (!agency || !overview) return <h1>Overview</h1>
  return (
    <>
      <h1>
        <bdi>{shorten(agency.name, 120)}</bdi>
      </h1>
      <div class="sub agency">
        <span>{`${toLongMonth(overview.month)} · ${count(overview.total, 'project')}`}</span>
        {agencies.length > 1 && (
          <Select
            label="Choose an agency"
            value={String(agency.id)}
            options={agencies.map(({ id, name }) => [String(id), name])}
            onSelect={(id) => navigate({ agency: id })}
          />
        )}
      </div>
    </>
  )
}

function hasReports({ projects }: Overview): boolean {
  return projects.some(({ health }) => health !== 'no_reports')
}

function WithoutReports({ first }: { first: Overview['projects'][number] | undefined }) {
  return (
    <EmptyState
      title="No reports yet"
      action={
        <div class="toolbar">
          {first && (
            <Button variant="primary" onPress={() => createNext(first.id)}>
              Create report 1 of <bdi>{shorten(first.name, 40)}</bdi>
            </Button>
          )}
          <Button variant={first ? 'plain' : 'primary'} onPress={() => serveDemo({})}>
            Serve the demo
          </Button>
        </div>
      }
    >
      The demo is an agency with 40 projects in the middle of its work.
    </EmptyState>
  )
}
