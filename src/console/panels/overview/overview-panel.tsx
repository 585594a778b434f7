import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { Overview, RecordOf } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState, Unread } from '../../parts/placeholders.tsx'
import { Select } from '../../parts/form-fields.tsx'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { countGrouped } from '../../../wording/count.ts'
import { toLongMonth, toDay } from '../../../wording/times.ts'
import { sleep } from '../../api/transport.ts'
import { currentWorld } from '../../state/current-world.ts'
import { navigate, query, hrefWith } from '../../state/location.ts'
import { readPartner, daysLeft, partner } from '../../state/world-choice.ts'
import { useResource, useReadAtChange, useGet } from '../../state/resource.ts'
import { TourCard } from '../tours/tour-card.tsx'
import { activeTour, beginTour, TOURS } from '../tours/tour-state.ts'
import { createNext } from '../world/move-report.ts'
import { ClientCard } from './client-card.tsx'
import {
  MonthCard,
  ProjectsCard,
  happeningsOf,
  NextCard,
  PositionsCard,
  ProjectLink,
} from './agency-cards.tsx'
import { DemoNamesForm, serveDemo } from './demo-names.tsx'
import '../tours/tours.css'
import './overview.css'
import { currentKey } from '../../api/key.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Secret } from '../../parts/marked-text.tsx'

/** What people see first: an agency, its month, and what happens next. */
export function OverviewPanel() {
  const chosen = query.value['agency']
  const last = useRef<string | null | undefined>(null)
  const read = useResource(
    async (signal) => {
      if (last.current === chosen) await sleep(SETTLING_MS)
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
            <DemoNamesForm />
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
        <bdi>{fitOnLine(agency.name, 120)}</bdi>
      </h1>
      <div class="sub agency">
        <span>{`${toLongMonth(overview.month)} · ${countGrouped(overview.total, 'project')}`}</span>
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
              Create report 1 of <bdi>{fitOnLine(first.name, 40)}</bdi>
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

/** Greets a partner, and says what to try first. */
function Welcome() {
  const { value } = partner
  const [finishes, runsDry] = TOURS
  if (!value || !finishes || !runsDry) return null
  const key = currentKey() ?? ''
  return (
    <Card
      class="welcome"
      title={
        <>
          Welcome, <bdi>{fitOnLine(value.name, 120)}</bdi>: this world is yours until{' '}
          {toDay(value.expires_at)}
        </>
      }
    >
      <p class="note">
        <b>Keep your key</b>: <Secret text={key} />{' '}
        <CopyButton text={key} what="your key" title="Copy your key" />{' '}
        <span class="soft">
          Closing this tab forgets it, and the link that you were sent does not work again.
        </span>
      </p>
      <ol>
        <li>
          <a href={hrefWith({ panel: 'connect' })}>Send your first request</a>, with a token of
          yours
        </li>
        <li>
          <Button variant="quiet" onPress={() => beginTour(finishes)}>
            See a report finish
          </Button>
        </li>
        <li>
          <Button variant="quiet" onPress={() => beginTour(runsDry)}>
            See a token reach its limit
          </Button>
        </li>
      </ol>
      <p class="note">
        Change whatever you like:{' '}
        <a href={hrefWith({ panel: 'scenarios' })}>a reset of the world</a> takes it back to the
        beginning. Your tokens and your key stay.
      </p>
      {daysLeft(value) !== undefined && (
        <p class="note">
          <b>To go on after that, ask whoever invited you</b>: your world continues as it was.
        </p>
      )}
    </Card>
  )
}

/** In the demo: which projects are in the middle of something, a card each. Nothing in other worlds. */
function Situations({ projects }: { projects: Overview['projects'] }) {
  const situations = (useGet('/showcase').value ?? []).flatMap(({ project: id, shows }) => {
    const project = projects.find((one) => one.id === id)
    return project ? [{ project, shows }] : []
  })
  if (situations.length === 0) return null
  return (
    <section class="showcase" aria-label="Worth a look">
      <h2>
        Worth a look <span class="soft">as of when the world was loaded</span>
      </h2>
      <ul>
        {situations.map(({ project, shows }) => (
          <li key={project.id} class="card">
            <ProjectLink project={project} />
            <p class="soft">{shows}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
