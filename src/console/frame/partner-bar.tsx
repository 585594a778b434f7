import { currentKey, leave } from '../api/key.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { StateWord } from '../parts/state-word.tsx'
import { shorten } from '../../wording/shorten.ts'
import { count } from '../parts/texts.ts'
import { toAhead } from '../../wording/times.ts'
import { daysLeft, partner } from '../state/partner.ts'
import { ask } from '../state/question.ts'

/** For a partner: whose world it is, until when, and how to come back to it. */
export function PartnerBar() {
  const { value } = partner
  if (!value) return null
  const left = daysLeft(value)
  const until = `until ${toAhead(value.expires_at, Date.now())}, real time`
  return (
    <div class="world-bar">
      <span>
        <b>
          <bdi>{shorten(value.name, 40)}</bdi>
        </b>
        {', '}
        {left === undefined ? (
          until
        ) : (
          <StateWord state="running">{`${count(left, 'day')} left, ${until}`}</StateWord>
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
    act: 'Leave',
    keep: 'Stay',
  })
  if (isSure) leave()
}
