import { Ellipsis, Pause, Play } from 'lucide'
import { signal } from '@preact/signals'
import { isUnprompted } from '../../contract/url.ts'
import { toDistance, toMoment, toSecond } from '../../wording/times.ts'
import { api } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { clocks } from '../state/shown-clocks.ts'
import type { ShownClocks } from '../state/shown-clocks.ts'
import { notice } from '../state/notices.ts'
import { journal } from '../state/shown-journal.ts'
import { NextChangeButton } from './next-change.tsx'

export function Header() {
  return (
    <header class="top">
      <Clock />
      <Steps />
      <NextChangeButton />
      <Button
        class="more"
        variant="quiet"
        icon={Ellipsis}
        label="Move the clocks"
        onPress={() => (isMoving.value = true)}
      />
      <StepsDialog />
    </header>
  )
}

const MINUTE_MS = 60_000

function areApart({ worldMs, rateMs }: ShownClocks): boolean {
  return Math.abs(worldMs - rateMs) > MINUTE_MS
}

function Clock() {
  const { value } = clocks
  if (!value) return <div class="clock" />
  const { worldMs, rateMs, isFrozen } = value
  return (
    <div class="clock">
      <div title={`World clock ${toSecond(worldMs)}, rate clock ${toSecond(rateMs)}, both in UTC`}>
        <b>{toMoment(worldMs)}</b>
        <small class="soft">
          <span class="of">World time in </span>UTC, {isFrozen ? 'frozen' : 'running'}
          <span class="of">{distanceOf(value)}</span>
        </small>
      </div>
      <small class="soft">{rateWords(value)}</small>
    </div>
  )
}

/** Describes the distance of the world clock from real time; empty if the clocks agree, or the rate clock is off real time too. */
function distanceOf(shown: ShownClocks): string {
  if (!areApart(shown) || Math.abs(shown.rateMs - Date.now()) > MINUTE_MS) return ''
  const distance = shown.worldMs - shown.rateMs
  return `, ${toDistance(Math.abs(distance))} ${distance > 0 ? 'ahead' : 'behind'}`
}

/**
 * Time on the rate clock, which setting the world clock does not move. Empty if the clocks agree, or nobody has sent a request, so
 * that nobody needs to know of rate limits.
 */
function rateWords(shown: ShownClocks): string {
  if (!areApart(shown)) return ''
  const isUsed = journal.value.entries.some(
    (entry) => entry.kind === 'request' && !isUnprompted(entry.path),
  )
  return isUsed ? `Rate limits are at ${toMoment(shown.rateMs)}` : ''
}

const STEPS = [
  { by: 'PT1H', text: '+1 h', duration: 'an hour' },
  { by: 'P1D', text: '+1 day', duration: 'a day' },
  { by: 'P1M', text: '+1 month', duration: 'a month' },
]

function Steps() {
  const { isFrozen = false, worldMs = 0 } = clocks.value ?? {}
  const isAhead = !isFrozen && worldMs - Date.now() > MINUTE_MS
  const freeze = async (): Promise<void> => {
    const sentence = isFrozen ? 'Let the world clock run' : 'Froze the world clock'
    await api.command({ type: 'clock.freeze', frozen: !isFrozen }, sentence)
  }
  const setNow = async (): Promise<void> => {
    const now = new Date().toISOString()
    await api.command({ type: 'clock.set', now }, 'Set the world clock back to real time')
  }
  return (
    <fieldset class="steps segments" aria-label="Move the clocks" disabled={notice.value?.isWait}>
      {isAhead && (
        <Button title="Sets the world clock back to real time" onPress={setNow}>
          Now
        </Button>
      )}
      <Button icon={isFrozen ? Play : Pause} pressed={isFrozen} onPress={freeze}>
        {isFrozen ? 'Frozen' : 'Freeze'}
      </Button>
      {STEPS.map(({ by, text, duration }) => (
        <Button
          key={by}
          title={`Advances both clocks by ${duration}`}
          onPress={() =>
            api.command({ type: 'clock.advance', by }, `Advanced both clocks by ${duration}`)
          }
        >
          {text}
        </Button>
      ))}
    </fieldset>
  )
}

const isMoving = signal(false)

function StepsDialog() {
  if (!isMoving.value) return null
  const { value } = clocks
  const close = (): void => void (isMoving.value = false)
  return (
    <Dialog title="Move the clocks" onClose={close} isSheet>
      {value && <p class="soft">{`World clock ${toSecond(value.worldMs)}. ${rateWords(value)}`}</p>}
      <Steps />
    </Dialog>
  )
}
