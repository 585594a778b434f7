import { changeWords } from '../../wording/change-words.ts'
import { countGrouped } from '../../wording/count.ts'
import { fitOnLine } from '../../wording/fit-on-line.ts'
import { toAhead, toMinute, toSecond } from '../../wording/times.ts'
import { api } from '../api/client.ts'
import { currentKey, leave } from '../api/key.ts'
import { transport } from '../api/transport.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Select } from '../parts/form-fields.tsx'
import { StateWord } from '../parts/marked-text.tsx'
import { currentWorld, pickWorld } from '../state/current-world.ts'
import { hrefWith, query } from '../state/location.ts'
import { ask } from '../state/notices.ts'
import { useResource } from '../state/resource.ts'
import { clocks } from '../state/shown-clocks.ts'
import { worldsToChoose, daysLeft, partner } from '../state/world-choice.ts'

export function Header() {
  const { Bar } = transport()
  return (
    <header class="top">
      <a class="name" href={hrefWith({ panel: undefined })}>
        seo-sandbox
      </a>
      <WorldSelect />
      <PartnerBar />
      {Bar && <Bar />}
      <ClockBar />
    </header>
  )
}

/** Chooses a world, where there are several. */
function WorldSelect() {
  const worlds = worldsToChoose()
  if (worlds.length === 1) return null
  return <Select label="World" value={currentWorld.value} options={worlds} onSelect={pickWorld} />
}

/** For a partner: whose world it is, until when, and how to come back to it. */
function PartnerBar() {
  const { value } = partner
  if (!value) return null
  const left = daysLeft(value)
  const until = `until ${toAhead(value.expires_at, Date.now())}, real time`
  return (
    <div class="world-bar">
      <span>
        <b>
          <bdi>{fitOnLine(value.name, 40)}</bdi>
        </b>
        {', '}
        {left === undefined ? (
          until
        ) : (
          <StateWord state="running">{`${countGrouped(left, 'day')} left, ${until}`}</StateWord>
        )}
      </span>
      <CopyButton text={currentKey() ?? ''} what="key" title="Copy key" />
      <Button variant="quiet" onPress={leaveAfterAsking}>
        Leave
      </Button>
    </div>
  )
}

async function leaveAfterAsking(): Promise<void> {
  const isSure = await ask({
    title: 'Leave this world?',
    text: 'This tab forgets the key. To come back, you need a copy of it, or another link from whoever invited you.',
    button: 'Leave',
    keep: 'Stay',
  })
  if (isSure) leave()
}

/** Durations by which the buttons move both clocks. */
const STEPS = [
  { by: 'PT1H', text: '+1 h', what: 'an hour' },
  { by: 'P1D', text: '+1 day', what: 'a day' },
  { by: 'P1M', text: '+1 month', what: 'a month' },
]

/** Both clocks, and what moves them. */
function ClockBar() {
  return (
    <>
      <Clocks />
      <Steps />
    </>
  )
}

function Clocks() {
  const { value } = clocks
  const [world, rate] = value ? [toSecond(value.worldMs), toSecond(value.rateMs)] : ['', '']
  return (
    <dl class="clocks">
      <div>
        <dt>World clock, {value?.isFrozen === true ? 'frozen' : 'running'}</dt>
        <dd class="mono">{world}</dd>
      </div>
      <div>
        <dt>Rate clock</dt>
        <dd class="mono">{rate}</dd>
      </div>
    </dl>
  )
}

function Steps() {
  const next = useNextChange()
  const isFrozen = clocks.value?.isFrozen === true
  const freeze = async (): Promise<void> => {
    const sentence = isFrozen ? 'Let the world clock run' : 'Froze the world clock'
    await api.command({ type: 'clock.freeze', frozen: !isFrozen }, sentence)
  }
  const goToNext = async (): Promise<void> => {
    if (!next) return
    const sentence = `Went to ${toMinute(next.at)}, when ${next.words} in project ${next.project}`
    await api.command({ type: 'clock.set', now: next.at }, sentence)
  }
  return (
    <div class="steps" role="group" aria-label="Move the clocks">
      <Button pressed={isFrozen} onPress={freeze} title="Stops the world clock, or lets it run">
        {isFrozen ? 'Frozen' : 'Freeze'}
      </Button>
      {STEPS.map(({ by, text, what }) => (
        <Button
          key={by}
          title={`Advances both clocks by ${what}`}
          onPress={() =>
            api.command({ type: 'clock.advance', by }, `Advanced both clocks by ${what}`)
          }
        >
          {text}
        </Button>
      ))}
      <Button
        variant="primary"
        disabled={!next}
        onPress={goToNext}
        title={
          next
            ? `Sets the world clock to ${toMinute(next.at)}, when ${next.words} in project ${next.project}`
            : 'Time alone changes no report of this project'
        }
      >
        {next
          ? `Next: ${next.words}, ${toAhead(next.at, clocks.value?.worldMs ?? 0)}`
          : 'No change to come'}
      </Button>
    </div>
  )
}

/** The next moment at which time alone changes reports of a project. */
interface NextChange {
  /** In the API's datetime format, on the world clock. */
  at: string
  /** The id of the project. */
  project: number
  /** Description of the change: `report 19 starts`. */
  words: string
}

/** The next change of the project in the address; of the first project where none is. Null where there is none. */
function useNextChange(): NextChange | null {
  const chosen = Number(query.value['project'])
  const project = Number.isSafeInteger(chosen) && chosen > 0 ? chosen : undefined
  const { value } = useResource(
    async (aborting) => {
      const id = project ?? (await firstProject(aborting))
      return id === undefined ? null : api.get(`/explain/projects/${id}`, { changes: 1 }, aborting)
    },
    [project],
  )
  const [change] = value?.changes ?? []
  if (!value || !change) return null
  return { at: change.at, project: value.project, words: changeWords(change, value) }
}

async function firstProject(aborting: AbortSignal): Promise<number | undefined> {
  const { records } = await api.list('projects', { limit: 1 }, aborting)
  return records[0]?.id
}
