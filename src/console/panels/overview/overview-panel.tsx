import { Globe } from 'lucide'
import type { Overview } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState, Unread } from '../../parts/placeholders.tsx'
import { Select } from '../../parts/form-fields.tsx'
import { fitOnLine } from '../../../wording/fit-on-line.ts'
import { countGrouped } from '../../../wording/count.ts'
import { toLongMonth, toDay } from '../../../wording/times.ts'
import { agencyRead, needingAttention } from '../../state/agency.ts'
import type { AgencyRead } from '../../state/agency.ts'
import { currentWorld } from '../../state/current-world.ts'
import { navigate, hrefWith } from '../../state/location.ts'
import { daysLeft, partner } from '../../state/world-choice.ts'
import { useGet } from '../../state/resource.ts'
import { TourCard, TourTiles } from '../tours/tour-card.tsx'
import { reportFinishes } from '../tours/report-finishes.ts'
import { tokenRunsDry } from '../tours/token-runs-dry.ts'
import { activeTour, beginTour } from '../tours/tour-state.ts'
import { createNext } from '../world/move-report.ts'
import { ClientLine, VisitorLine } from './client-line.tsx'
import { DemoNamesForm, DemoNamesTile, serveDemo } from './demo-names.tsx'
import { Attention, Growth, MonthSummary, ProjectLink } from './month.tsx'
import { NextChanges } from './next-changes.tsx'
import './overview.css'
import { currentKey } from '../../api/key.ts'
import { transport } from '../../api/transport.ts'
import { Section } from '../../parts/section.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Secret } from '../../parts/marked-text.tsx'

export function OverviewPanel() {
  const read = agencyRead.value
  const { value } = read
  const overview = value?.overview
  const hasReports = overview?.projects.some(({ health }) => health !== 'no_reports')
  const shown = hasReports ? overview : undefined
  const tour = activeTour.value?.world === currentWorld.value ? activeTour.value : null
  return (
    <>
      {value && !tour && <Welcome />}
      <Head {...value} />
      {value && (transport().isShared ? <ClientLine agency={value.agency?.id} /> : <VisitorLine />)}
      {tour && <TourCard {...tour} />}
      <Unread of={read} lines={12} />
      {value && !shown && <WithoutReports first={overview?.projects[0]} />}
      {shown && <MonthSummary overview={shown} />}
      {value && (
        <div class="overview">
          <div class="stack">
            {shown && <Attention projects={shown.projects} />}
            {shown && <Growth {...shown} />}
            {!tour && <ShowIt />}
            {shown && <Situations projects={shown.projects} />}
          </div>
          {shown && <NextChanges overview={shown} />}
        </div>
      )}
    </>
  )
}

function ShowIt() {
  return (
    <Section title="Show it to someone" class="later">
      <TourTiles>
        <DemoNamesTile />
      </TourTiles>
      <DemoNamesForm />
    </Section>
  )
}

function Head({ agencies = [], agency, overview }: Partial<AgencyRead>) {
  if (!agency || !overview) return <h1>Overview</h1>
  const inactive = overview.projects.filter(({ health }) => health === 'inactive').length
  const facts = [
    toLongMonth(overview.month),
    countGrouped(overview.total, 'project') + (inactive > 0 ? `, ${inactive} inactive` : ''),
    ...(overview.projects.length < overview.total
      ? [`the first ${overview.projects.length} are counted below`]
      : []),
  ]
  return (
    <>
      <h1>
        <bdi>{fitOnLine(agency.name, 120)}</bdi>
      </h1>
      <div class="sub row">
        <span>{facts.join(' · ')}</span>
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

function WithoutReports({ first }: { first: Overview['projects'][number] | undefined }) {
  return (
    <EmptyState
      icon={Globe}
      title="No reports yet"
      action={
        <div class="row">
          {first && (
            <Button variant="primary" onPress={() => createNext(first.id)}>
              Create report 1 of <bdi>{fitOnLine(first.name, 40)}</bdi>
            </Button>
          )}
          <Button variant={first ? 'plain' : 'primary'} onPress={serveDemo}>
            Serve the demo
          </Button>
        </div>
      }
    >
      The demo is an agency with 40 projects in the middle of its work.
    </EmptyState>
  )
}

function Welcome() {
  const { value } = partner
  if (!value) return null
  const key = currentKey() ?? ''
  return (
    <Section
      class="welcome"
      title={
        <>
          Welcome, <bdi>{fitOnLine(value.name, 120)}</bdi>: this world is yours until{' '}
          {toDay(value.expires_at)}, in real time
        </>
      }
    >
      <p>
        <b>Keep your key</b>: <Secret text={key} />{' '}
        <CopyButton text={key} name="your key" title="Copy your key" />{' '}
        <span class="soft">Closing this tab forgets the key, and your link worked only once.</span>
      </p>
      <ol>
        <li>
          <a href={hrefWith({ panel: 'connect' })}>Send your first request</a>, with a token of
          yours
        </li>
        <li>
          <Button variant="quiet" onPress={() => beginTour(reportFinishes)}>
            See a report finish
          </Button>
        </li>
        <li>
          <Button variant="quiet" onPress={() => beginTour(tokenRunsDry)}>
            See a token reach its limit
          </Button>
        </li>
      </ol>
      <p>
        Change whatever you like:{' '}
        <a href={hrefWith({ panel: 'scenarios' })}>a reset of the world</a> takes it back to the
        beginning. Your tokens and your key stay.
      </p>
      {daysLeft(value) !== undefined && (
        <p>
          <b>To go on after {toDay(value.expires_at)}, ask whoever invited you</b>: your world
          continues as it was.
        </p>
      )}
    </Section>
  )
}

function Situations({ projects }: { projects: Overview['projects'] }) {
  const situations = (useGet('/showcase').value ?? []).flatMap(({ project: id, shows }) => {
    const project = projects.find((each) => each.id === id)
    if (!project || (/^late|^failing/.test(shows) && !needingAttention([project])[0])) return []
    return [{ project, shows }]
  })
  if (situations.length === 0) return null
  return (
    <Section title="Worth a look, as they were at the start" class="showcase later">
      <ul class="lines">
        {situations.map(({ project, shows }) => (
          <li key={project.id}>
            <ProjectLink project={project} /> <small class="soft">{shows}</small>
          </li>
        ))}
      </ul>
    </Section>
  )
}
