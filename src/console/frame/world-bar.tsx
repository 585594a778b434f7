import { X } from 'lucide'
import { toAhead } from '../../wording/times.ts'
import { countGrouped } from '../../wording/count.ts'
import { fitOnLine, uncapitalize } from '../../wording/fit-on-line.ts'
import { currentKey, forgetKey, keyWorld } from '../api/key.ts'
import { transport } from '../api/transport.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Select } from '../parts/form-fields.tsx'
import { StateWord } from '../parts/marked-text.tsx'
import { currentWorld, DEFAULT_WORLD, pickWorld } from '../state/current-world.ts'
import { ask } from '../state/notices.ts'
import { daysLeft, worldName, partner, partnerOf, worldsToChoose } from '../state/world-choice.ts'

export function WorldBar() {
  const { Bar } = transport()
  return (
    <>
      <WorldSelect />
      <PartnerBar />
      {Bar && <Bar />}
    </>
  )
}

function WorldSelect() {
  const worlds = worldsToChoose()
  if (worlds.length === 1) return null
  return (
    <label class="world-choice small soft">
      World
      <Select label="World" value={currentWorld.value} options={worlds} onSelect={pickWorld} />
    </label>
  )
}

/** Banner above every panel in a world other than the default world; not shown with a partner's key. */
export function WorldBanner() {
  const { value: current } = currentWorld
  if (keyWorld.value !== undefined || current === DEFAULT_WORLD) return null
  const isOfPartner = partnerOf(current) !== undefined
  return (
    <p class="row banner">
      <span>
        You are in {isOfPartner && 'the '}
        <bdi>{uncapitalize(fitOnLine(worldName(current), 80))}</bdi>.
      </span>
      <Button onPress={() => pickWorld(DEFAULT_WORLD, { panel: undefined })}>
        {isOfPartner ? 'Back to your own' : 'Back to the default world'}
      </Button>
    </p>
  )
}

function PartnerBar() {
  const { value } = partner
  if (!value) return null
  const left = daysLeft(value)
  return (
    <div class="world-bar">
      <p>
        <b>
          World of <bdi>{fitOnLine(value.name, 40)}</bdi>
        </b>
        <small class="soft">
          {left !== undefined && (
            <StateWord state="late">{`${countGrouped(left, 'day')} left`}</StateWord>
          )}{' '}
          until {toAhead(value.expires_at, Date.now())}, real time
        </small>
      </p>
      <CopyButton text={currentKey() ?? ''} name="key" title="Copy key" />
      <Button variant="quiet" icon={X} onPress={leaveAfterAsking}>
        Leave this world
      </Button>
    </div>
  )
}

async function leaveAfterAsking(): Promise<void> {
  const isSure = await ask({
    title: 'Leave this world?',
    text: 'This tab forgets the key. To come back, you need a copy of it, or another link from whoever invited you.',
    button: 'Leave this world',
    keep: 'Stay here',
  })
  if (isSure) forgetKey()
}
