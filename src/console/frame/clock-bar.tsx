import { api } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { toAhead, toMinute, toSecond } from '../../wording/times.ts'
import { clocks } from '../state/clock.ts'
import { useNextChange } from '../state/next-change.ts'

/** How far the buttons move both clocks. */
const STEPS = [
  { by: 'PT1H', text: '+1 h', what: 'an hour' },
  { by: 'P1D', text: '+1 day', what: 'a day' },
  { by: 'P1M', text: '+1 month', what: 'a month' },
]

/** Both clocks, and what moves them. */
export function ClockBar() {
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
