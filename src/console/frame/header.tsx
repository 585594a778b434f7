import { Ellipsis, Pause, Play } from 'lucide'
import { signal } from '@preact/signals'
import { toDistance, toMoment, toSecond } from '../../wording/times.ts'
import { api } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { clocks } from '../state/shown-clocks.ts'
import type { ShownClocks } from '../state/shown-clocks.ts'
import { notice } from '../state/notices.ts'
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
      {areApart(value) && (
        <small class="soft">
          Rate limits <span class="of">{rateWords(value)},</span> {toMoment(rateMs)}
        </small>
      )}
    </div>
  )
}

/** Describes the distance of the world clock from real time; empty if the clocks agree, or the rate clock is off real time too. */
function distanceOf(shown: ShownClocks): string {
  if (!areApart(shown) || !isRealTime(shown.rateMs)) return ''
  const distance = shown.worldMs - shown.rateMs
  return `, ${toDistance(Math.abs(distance))} ${distance > 0 ? 'ahead' : 'back'}`
}

/** Tolerated difference between the clocks of the server and the browser. */
const SKEW_MS = 5000

function isRealTime(ms: number): boolean {
  return Math.abs(ms - Date.now()) < SKEW_MS
}

/** Describes the rate clock, for users who expect that setting the world clock also ends the wait for a rate limit. */
function rateWords({ worldMs, rateMs }: ShownClocks): string {
  if (isRealTime(rateMs)) return 'stay on real time'
  return rateMs > worldMs ? 'never go back' : 'have a clock of their own'
}

const STEPS = [
  { by: 'PT1H', text: '+1 h', duration: 'an hour' },
  { by: 'P1D', text: '+1 day', duration: 'a day' },
  { by: 'P1M', text: '+1 month', duration: 'a month' },
]

function Steps() {
  const isFrozen = clocks.value?.isFrozen === true
  const freeze = async (): Promise<void> => {
    const sentence = isFrozen ? 'Let the world clock run' : 'Froze the world clock'
    await api.command({ type: 'clock.freeze', frozen: !isFrozen }, sentence)
  }
  return (
    <fieldset class="steps segments" aria-label="Move the clocks" disabled={notice.value?.isWait}>
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
      {value && (
        <p class="soft">
          {`World clock ${toSecond(value.worldMs)}. Rate limits ${rateWords(value)}, ${toMoment(value.rateMs)}.`}
        </p>
      )}
      <Steps />
    </Dialog>
  )
}
